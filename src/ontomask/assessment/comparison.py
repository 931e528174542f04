"""Methods side by side: every method at every k on one table that is read and linked once."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from ontomask.assessment.evaluate import figures_of
from ontomask.columns.further import FurtherColumn, confidential_columns
from ontomask.errors import NothingLeftError, OntomaskError
from ontomask.files import staging
from ontomask.manifest import as_json
from ontomask.methods import METHODS
from ontomask.outputs import check_apart
from ontomask.pipeline import Prepared, prepare, released
from ontomask.plan import Plan, as_plan
from ontomask.progress import SILENT, Listener, Phases
from ontomask.release import Release

USUAL_METHODS = ("sa-mdav", "recoding", "s-mdav", "resampling", "suppression")
USUAL_K = (2, 3, 5, 10, 20)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What the methods gave.

    Attributes
    ----------
    rows
        One for each method and k: `method`, the `k` that it formed groups by, `seconds` to mask, `gives_k`,
        and all figures. A method that forms no groups has one, whose `k` is None.
    left_out
        (method, k) that would have released no row.
    release
        The plan's own release.
    """

    rows: list[dict[str, Any]]
    left_out: list[tuple[str, int]]
    release: Release

    def __repr__(self) -> str:
        methods = list(dict.fromkeys(row["method"] for row in self.rows))
        return f"<Comparison of {', '.join(methods)}: {len(self.rows)} releases>"

    def to_pandas(self) -> Any:
        """The rows as a data frame."""
        try:
            import pandas
        except ImportError:
            raise OntomaskError("to_pandas() needs pandas", remedy="pip install pandas") from None
        return pandas.DataFrame(self.rows)

    def write(self, folder: str | Path, also: Mapping[str, str] | None = None) -> list[Path]:
        """Write `figures.csv` and `figures.json` to a folder, and further texts by name; all or none."""
        folder = Path(folder)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OntomaskError(f"cannot make the folder {folder}: {error.strerror}") from None
        plain = [{k: v for k, v in row.items() if not isinstance(v, (list, dict))} for row in self.rows]
        names = ["figures.csv", "figures.json", *(also or {})]
        check_apart([folder / name for name in names], self.release.inputs)
        rows = StringIO()
        writer = csv.DictWriter(rows, dict.fromkeys(key for row in plain for key in row), lineterminator="\n")
        writer.writeheader()
        writer.writerows(plain)
        texts = [rows.getvalue(), as_json(self.rows), *(also or {}).values()]
        with staging() as files:
            for name, text in zip(names, texts, strict=True):
                with files.writing(folder / name) as staged:
                    staged.write_text(text, encoding="utf-8", newline="")
        return [folder / name for name in names]


def compare(
    table: Any,
    plan: Plan | Mapping[str, Any] | str | Path,
    methods: Sequence[str],
    k: Sequence[int],
    *,
    progress: Phases | Listener | None = None,
) -> Comparison:
    """Mask a table by several methods at several k, and judge every release.

    Options of the plan that another method does not have are dropped for it. Where a method would release no
    row (suppression), its row is left out.

    >>> import pyarrow as pa
    >>> people = pa.table({"pet": ["dog", "cat", "wolf", "cat", "dog", "lion"]})
    >>> found = compare(people, Plan.from_options(["pet:wordnet"], k=2), ["sa-mdav", "recoding"], [2, 3])
    >>> [(row["method"], row["k_asked"]) for row in found.rows]
    [('sa-mdav', 2), ('sa-mdav', 3), ('recoding', 2), ('recoding', 3)]
    """
    plan = as_plan(plan)
    phases = progress if isinstance(progress, Phases) else Phases(phases_of(methods, k), progress)
    prepared = table if isinstance(table, Prepared) else prepare(table, plan, phases)
    own: Release | None = None
    rows, left_out = [], []
    for one in attempts(prepared, plan, methods, k, phases):
        if isinstance(one.error, NothingLeftError):
            left_out.append((one.method, one.size))
        elif one.error is not None:
            raise one.error
        else:
            rows.append(one.row)
            own = one.release if one.plan is not None and one.plan.digest == plan.digest else own
    return Comparison(rows, left_out, own or released(prepared, plan))


@dataclass(frozen=True, eq=False)
class Attempt:
    """What came of a method and k, or why nothing did.

    `plan` is what it was asked by: None where the plan cannot be had with this method. `row` are its figures.
    """

    method: str
    size: int
    plan: Plan | None = None
    release: Release | None = None
    row: dict[str, Any] = field(default_factory=dict)
    error: OntomaskError | None = None


def attempts(
    prepared: Prepared, plan: Plan, methods: Sequence[str], k: Sequence[int], phases: Phases = SILENT
) -> Iterator[Attempt]:
    """Every method at every k, one after the other; one that is refused does not end the others.

    >>> import pyarrow as pa
    >>> plan = Plan.from_options(["pet:wordnet"], k=2)
    >>> pets = prepare(pa.table({"pet": ["dog", "cat", "wolf", "cat", "dog", "lion"]}), plan)
    >>> for one in attempts(pets, plan, ["sa-mdav"], [3, 7]):
    ...     print(one.size, one.error or f"{one.row['classes']} classes")
    3 2 classes
    7 privacy.k: k = 7 is more than the 6 records of the table; choose a smaller k
    """
    # What stands for a group's numbers is part of the columns, and so are hierarchies and truth.
    by_columns = {_columns_asked(plan): prepared}
    coded = confidential_columns(prepared.table, plan, prepared.further)
    for name in methods:
        for size in k:
            try:
                asked = plan_for(plan, name, size)
            except OntomaskError as error:
                yield Attempt(name, size, error=error)
                continue
            if not asked.method.own.has_groups and size != k[0]:
                continue  # k means nothing to it
            phases.tell(_phase(name, size))
            columns = _columns_asked(asked)
            try:
                if columns not in by_columns:
                    by_columns[columns] = prepare(prepared.table, asked)
            except OntomaskError as error:
                yield Attempt(name, size, asked, error=error)
                continue
            yield attempt(by_columns[columns], asked, size, coded)


def attempt(
    prepared: Prepared,
    plan: Plan,
    size: int,
    coded: Sequence[FurtherColumn] | None = None,
    phases: Phases = SILENT,
) -> Attempt:
    """A plan as it is, on a table that was prepared for it; `coded` are its confidential columns."""
    name, method, start = plan.method.name, plan.method.own, time.perf_counter()
    try:
        release = released(prepared, plan, phases)
    except OntomaskError as error:
        return Attempt(name, size, plan, error=error)
    told = {
        "method": name,
        "k": size if method.has_groups else None,
        "seconds": time.perf_counter() - start,
        "gives_k": method.gives_k,
    }
    return Attempt(name, size, plan, release, told | figures_of(release, coded))


def usual_methods(plan: Plan) -> list[str]:
    """What is worth comparing for a plan: its own method and the usual ones, where it can be had with them.

    >>> usual_methods(Plan.from_options(["age:numeric"], method="mdav"))
    ['mdav', 'sa-mdav', 'recoding', 's-mdav', 'resampling', 'suppression']
    """
    asked = dict.fromkeys((plan.method.name, *USUAL_METHODS))
    return [name for name in asked if why_not(plan, name) is None]


def usual_k(plan: Plan, n_rows: int) -> list[int]:
    """The k of a plan and the usual ones, as far as the table has two groups of that size.

    >>> usual_k(Plan.from_options(["age:numeric"], k=4), 12)
    [2, 3, 4, 5]
    """
    return sorted({plan.privacy.k or plan.least_size, *(k for k in USUAL_K if 2 * k <= n_rows)})


def why_not(plan: Plan, name: str) -> OntomaskError | None:
    """Why a plan cannot be had with a method, whatever the table; None if it can.

    >>> tags = Plan.from_options(["tags:wordnet"]).replace(attributes={"tags": {"several": ";"}})
    >>> str(why_not(tags, "incognito")).partition("; ")[0]
    'attributes: tags.several: incognito climbs hierarchies, and a set of words has none'
    """
    try:
        plan_for(plan, name, max(plan.least_size, 2))
    except OntomaskError as error:
        return error
    return None


def sizes_in(text: str) -> list[int]:
    """The k in a text: whole numbers with commas between them.

    >>> sizes_in("2, 5,10")
    [2, 5, 10]
    """
    try:
        return list(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        raise OntomaskError(
            f"{text!r} is not a list of k",
            value=text,
            is_public=True,
            remedy="whole numbers with commas between them, such as 2,5,10",
        ) from None


def phases_of(methods: Sequence[str], k: Sequence[int]) -> dict[str, float]:
    """The phases of a comparison, and about how long each takes; what forms no groups runs once.

    >>> list(phases_of(["sa-mdav", "noise"], [2, 3]))
    ['reading', 'linking', 'sa-mdav, k = 2', 'sa-mdav, k = 3', 'noise']
    """
    return {"reading": 2.0, "linking": 2.0} | {_phase(name, size): 5.0 for name in methods for size in k}


def _phase(name: str, k: int) -> str:
    return f"{name}, k = {k}" if name not in METHODS or METHODS[name].has_groups else name


def plan_for(plan: Plan, name: str, k: int) -> Plan:
    """The plan with another method and k; of a method that gives no k nothing else is asked.

    `PlanError` says why the plan cannot be had with that method.

    >>> plan_for(Plan.from_options(["age:numeric"], static=True), "recoding", 3)
    <Plan: masks age; k = 3; recoding by logsc>
    """
    kind = METHODS.get(name)
    method = plan.method.own if kind is None or name == plan.method.name else kind()
    if method.gives_k:
        return _truthful_as(plan, plan.with_method(name)).replace(privacy={"k": k})
    bare = without_requirements(plan).with_method(name)
    return bare.replace(privacy={"k": k}) if method.has_groups else bare


def without_requirements(plan: Plan) -> Plan:
    """The plan that asks for nothing: neither requirements nor truth."""
    nothing = {key: None for key in plan.privacy.settings if key != "key_file"}
    true, columns = _truthful(plan)
    central = {column: {"release": None} for column in columns}
    return plan.replace(privacy=nothing, attributes=central, **({"release": None} if true else {}))


def _truthful(plan: Plan) -> tuple[bool, list[str]]:
    """Whether a plan says that all is to be true, and the columns of which it says so."""
    columns = [name for name, one in plan.attributes.items() if one.release == "truthful"]
    return plan.release == "truthful", columns


def _truthful_as(before: Plan, plan: Plan) -> Plan:
    """A plan that says what is to be true as another one does, also where its method writes nothing else."""
    true, columns = _truthful(before)
    asked = {column: {"release": "truthful"} for column in columns}
    return plan.replace(attributes=asked, **({"release": "truthful"} if true else {}))


def _columns_asked(plan: Plan) -> tuple[Any, ...]:
    """What of a method its columns depend on, and those beside them."""
    method = plan.method.own
    truthful = tuple(plan.is_truthful(name) for name in plan.with_role("quasi-identifier"))
    return plan.method.centroid, method.has_hierarchies, method.splits_numbers, truthful, plan.needed()
