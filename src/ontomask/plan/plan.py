"""The Plan: what the user asks for, and what the pipeline asks of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.errors import PlanError, did_you_mean
from ontomask.measures import MEASURES, Measure, measure
from ontomask.methods import METHODS
from ontomask.ontology import Ontology, load_ontology
from ontomask.ontology.catalog import NAMES as ONTOLOGY_NAMES
from ontomask.plan.attribute import AttributePlan, Role
from ontomask.plan.conflicts import conflicts_of, conflicts_without_k
from ontomask.plan.faults import Faults
from ontomask.plan.parts import DEFAULT_K
from ontomask.plan.settings import PlanSettings
from ontomask.plan.values import shown
from ontomask.printable import some_of
from ontomask.privacy import KAnonymity, KnownValues, Requirement, least_size

if TYPE_CHECKING:
    from ontomask.tables import TableOptions
    from ontomask.tables.address import Place


@dataclass(frozen=True, init=False, repr=False)
class Plan(PlanSettings):
    """What the user asks for. Everything has a default, but every column of the table must be named.

    >>> plan = Plan.from_yaml('''
    ... attributes:
    ...   occupation: {role: quasi-identifier, ontology: wordnet, under: person}
    ...   age: {role: quasi-identifier, kind: numeric}
    ... privacy: {k: 5}
    ... ''')
    >>> plan.with_role("quasi-identifier")
    ('occupation', 'age')
    >>> plan
    <Plan: masks occupation, age; k = 5; sa-mdav by logsc>
    """

    def __repr__(self) -> str:
        masked = self.with_role("quasi-identifier")
        names = ", ".join(masked[:4]) + (f" and {len(masked) - 4} more" if len(masked) > 4 else "")
        asked = ", ".join(map(str, self.requirements())) or self.promised
        return f"<Plan: masks {names or 'nothing'}; {asked}; {self.method.name} by {self.method.measure}>"

    def conflicts(self) -> Iterator[tuple[str, str]]:
        return conflicts_of(self)

    def certain_conflicts(self) -> Iterator[tuple[str, str]]:
        return conflicts_without_k(self)

    def place_of(self, relative: str) -> Place:
        """Where a table of the plan is: an address, or a path as seen from here."""
        from ontomask.tables.address import place_of

        return place_of(relative) if "://" in relative else self.path_of(relative)

    def ontology_source(self, ontology: str) -> str | Path:
        """What to give `load_ontology`: a known name as it is, anything else as a path of the plan."""
        return ontology if ontology in ONTOLOGY_NAMES else self.path_of(ontology)

    def meaning_of(self, settings: AttributePlan) -> Ontology:
        """The ontology that a column names, WordNet if none, with the labels that it asks for."""
        labels = None if settings.labels is None else self.path_of(settings.labels)
        return load_ontology(self.ontology_source(settings.ontology or "wordnet"), labels=labels)

    def table_options(self) -> TableOptions:
        """How a table is to be read, as far as that is not a matter of single values."""
        from ontomask.tables import TableOptions

        known = {one.name for one in fields(TableOptions)}
        asked = {key: value for key, value in self.table.as_dict().items() if key in known}
        own = {name: one.na_values for name, one in self.attributes.items() if one.na_values is not None}
        return TableOptions(**asked, na_of=own)

    def na_values_of(self, column: str) -> tuple[str, ...]:
        """What means no value in a column.

        >>> plan = Plan.from_options(["age:numeric"])
        >>> plan.replace(attributes={"age": {"na_values": ["99"]}}).na_values_of("age")
        ('', '99')
        """
        own = self.attributes[column].na_values if column in self.attributes else None
        return self.table.na_values if own is None else own

    def requirements(self) -> list[Requirement]:
        """What the release must satisfy: what is asked, unless the method promises none of it."""
        return self.asked() if self.method.own.gives_k else []

    def asked(self) -> list[Requirement]:
        """What groups are formed by."""
        if not self.method.own.has_groups:
            return []
        confidential = self.with_role("confidential")
        bound = [one for asked in self.privacy.requirements for one in asked.over(confidential)]
        if not self.method.own.judges_sets:
            return bound
        n_masked = len(self.with_role("quasi-identifier"))
        return [one.on_sets_of(n_masked) for one in bound]

    def needed(self) -> tuple[str, ...]:
        """Columns that requirements and the method look at beside the masked ones, each once."""
        asked = [name for one in self.requirements() for name in one.needs]
        return tuple(dict.fromkeys([*asked, *self.method.own.needs]))

    @property
    def least_size(self) -> int:
        """The fewest rows of a class that satisfies all requirements: k, if that is what is asked for."""
        return least_size(self.privacy.requirements)

    @property
    def promises_k(self) -> bool:
        """Whether no row of a release stands alone, which is checked."""
        return least_size(self.requirements()) > 1

    @property
    def promised(self) -> str:
        """What is promised in words, where that is not k: what LKC alone asks for, or nothing."""
        name = self.method.name
        if not self.method.own.gives_k:
            options = " with these options" if METHODS[name]().gives_k else ""
            return f"no k-anonymity, as {name}{options} gives none"
        if self.promises_k:
            return ""
        return next((one.promises for one in self.requirements() if one.promises), "")

    @property
    def also_asked(self) -> tuple[str, ...]:
        """What is asked for besides k, or besides what is promised in its place: each in short."""
        told = {"k"} | {one.key for one in self.requirements() if one.promises and not self.promises_k}
        return tuple(str(one) for one in self.requirements() if one.key not in told)

    @property
    def least_told(self) -> int:
        """How many rows must share what is told or written by name: k or K; the default k if none is."""
        is_asked = any(isinstance(one, (KAnonymity, KnownValues)) for one in self.privacy.requirements)
        return self.least_size if is_asked else max(self.least_size, DEFAULT_K)

    def least_rows_told(self, most: int) -> int:
        """How many rows must share what is told, so that `least_told` people do: nobody has more than `most`.

        ``(k - 1) r + 1`` rows are of k people at least, none of whom has more than one row in k - 1. r is
        `most` taken up to a power of two, as `most` is somebody's own number.

        >>> Plan.from_options(["age:numeric"], k=5).least_rows_told(6)
        33
        """
        return (self.least_told - 1) * self.rows_of_one(most) + 1

    @staticmethod
    def rows_of_one(most: int) -> int:
        """How many rows anybody may have, if nobody has more than `most`, which is somebody's own number.

        >>> Plan.rows_of_one(6)
        8
        """
        return 1 << (most - 1).bit_length()

    def make_measure(self, name: str | None = None) -> Measure:
        """The measure that the plan names, or one by its name, with those options of the plan that it has."""
        name = name or self.method.measure
        ic = self.method.ic
        asked = {
            "convention": self.method.convention,
            "ic": ic if ic in ("seco", "sanchez", None) else str(self.path_of(ic)),
        }
        has = MEASURES[name]
        return measure(name, **{key: v for key, v in asked.items() if v is not None and hasattr(has, key)})

    def with_role(self, role: Role) -> tuple[str, ...]:
        """Columns of that role, in the order of the plan."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.role == role)

    def is_truthful(self, column: str) -> bool:
        """Whether a column is released as what is true of every person, not as what is central to a group.

        >>> Plan.from_options(["age:numeric"], release="truthful").is_truthful("age")
        True
        """
        one = self.attributes[column]
        # What is cut off or rounded is not true, though the method does no more to it.
        return (one.release or self.release) == "truthful" or (
            self.method.own.is_truthful and not one.is_coded
        )

    @property
    def followers(self) -> dict[str, str]:
        """The columns that are released as their key tells them, each with that key."""
        return {
            name: key
            for key, *others in self.together or ()
            for name in others
            if self.attributes[name].role == "other"
        }

    @property
    def is_all_numeric(self) -> bool:
        """Whether every quasi-identifier is a number: then distances are euclidean over z-scores."""
        return all(self.attributes[name].kind == "numeric" for name in self.with_role("quasi-identifier"))

    def check_decided(self) -> None:
        """`PlanError` with every column of role `undecided`: nobody said what becomes of it."""
        faults = self._faults()
        for name in self.with_role("undecided"):
            remedy = "write identifier, quasi-identifier, confidential or other in its place"
            faults.add(("attributes", name, "role"), "is undecided", remedy, "undecided", column=name)
        faults.raise_any()

    def check_runnable(self) -> None:
        """`PlanError` if a column is undecided, or none is a quasi-identifier, so nothing to mask."""
        self.check_decided()
        if not self.with_role("quasi-identifier"):
            faults = self._faults()
            text = "no column has role: quasi-identifier, so there is nothing to mask"
            faults.add(("attributes",), text, "name one at least")
            faults.raise_any()

    def check_against(self, names: Sequence[str]) -> list[str]:
        """The columns of a table that the plan does not name.

        `PlanError` if it names one that is not there, or if nobody said what becomes of the others.

        >>> Plan.from_options(["age:numeric"], others="keep").check_against(["id", "age"])
        ['id']
        """
        faults = self._faults()
        for name in self.attributes:
            if name not in names:
                remedy = did_you_mean(name, names, names).removeprefix("; ")
                faults.add(("attributes", name), "the table has no such column", remedy, name)
        others = [name for name in names if name not in self.attributes]
        if others and self.others == "error":
            faults.add(
                ("attributes",),
                f"nobody decided what becomes of {some_of([*map(repr, others)])}",
                "give each a role (role: other releases a column as it is), or say for all of them "
                "others: drop or others: keep (--others on the command line)",
            )
        faults.raise_any()
        return others

    def _faults(self) -> Faults:
        return Faults(self.origin.name, self.origin.lines)


def as_plan(plan: Plan | Mapping[str, Any] | str | Path) -> Plan:
    """A plan given as such, as nested dicts, or as the path of its file.

    >>> as_plan({"privacy": {"k": 3}}).privacy.k
    3
    """
    if isinstance(plan, Plan):
        return plan
    if isinstance(plan, Mapping):
        return Plan.from_dict(plan)
    if isinstance(plan, (str, Path)):
        return Plan.load(plan)
    raise PlanError(f"a plan is a Plan, a dict or the path of a file, not {shown(plan)}")
