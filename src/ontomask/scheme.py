"""What a release decided, to be done again: the combinations of values that it shows, and what was asked for.

Each of them is shared by as many rows as the requirements ask for, so that a scheme tells nothing which the
release itself does not: no original row, no count. It knows texts and columns, but not how groups are chosen.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.arrays import Int32
from ontomask.columns import Column
from ontomask.columns.reused import ReusedColumn, reused
from ontomask.errors import Fault, NothingLeftError, OntomaskError, PlanError
from ontomask.files import is_there, regular, replacing
from ontomask.manifest import ontologies_of
from ontomask.methods import SUPPRESSED, Masking
from ontomask.plan import Plan
from ontomask.plan.values import shown

VERSION = 1
_KIND = "ontomask scheme"
Row = tuple[str | None, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Scheme:
    """What a release decided.

    Attributes
    ----------
    columns
        Names of the masked columns.
    rows
        The combinations of their values that were released, each once; None is no value.
    ids
        Per column the id of the concept that a text means, where it has one.
    decided
        What was asked for, as the keys of the plan say it: all that must be the same when it is used again.
    ontologies
        Per column name and digest of its ontology.
    plan_digest
        Digest of the plan that it was made with.
    path
        The file that it was read from.

    >>> import pyarrow as pa
    >>> from ontomask import Plan, anonymize
    >>> january = pa.table({"age": [31, 33, 48, 52]})
    >>> plan = Plan.from_options(["age:numeric"], k=2)
    >>> scheme = anonymize(january, plan).scheme
    >>> scheme
    <Scheme: 2 combinations of age; k = 2>
    >>> anonymize(pa.table({"age": [30, 35, 50, 55]}), plan, scheme=scheme).table["age"].to_pylist()
    [32, 32, 50, 50]
    """

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    ids: Mapping[str, Mapping[str, str]]
    decided: Mapping[str, Any]
    ontologies: Mapping[str, Any]
    plan_digest: str
    path: Path | None = field(default=None)

    @classmethod
    def of(cls, plan: Plan, columns: Sequence[Column], masking: Masking) -> Scheme:
        """What was decided in a masking; in the order of the texts, which tells nothing of the table."""
        check_decides(plan)
        groups = np.unique(masking.groups[masking.groups != SUPPRESSED])
        found: list[list[str | None]] = []
        ids: dict[str, dict[str, str]] = {}
        for j, (column, attribute) in enumerate(zip(columns, masking.attributes, strict=True)):
            texts, own = column.texts(attribute), column.ids(attribute)
            values = masking.values[groups, j].tolist()
            found.append([texts[r] for r in values])
            means = {
                text: one for r in values if (text := texts[r]) is not None and (one := own[r]) is not None
            }
            ids[column.name] = dict(sorted(means.items()))
        rows = {*zip(*found, strict=True)}
        if plan.method.own.blank:
            rows.discard((None,) * len(columns))  # what is blanked was not decided by what it was
        return cls(
            columns=tuple(column.name for column in columns),
            rows=tuple(sorted(rows, key=lambda row: [(text is None, text or "") for text in row])),
            ids=ids,
            decided=_decided(plan),
            ontologies=ontologies_of(plan),
            plan_digest=plan.digest,
        )

    def __repr__(self) -> str:
        asked = ", ".join(self.decided["requirements"])
        return f"<Scheme: {len(self.rows):,} combinations of {', '.join(self.columns)}; {asked}>"

    # ------------------------------------------------------------------ as a file

    @cached_property
    def text(self) -> str:
        """The scheme as a file: JSON, with a line for each combination."""
        head = {
            "kind": _KIND,
            "version": VERSION,
            "plan": {"sha256": self.plan_digest, "decided": self.decided},
            "ontologies": self.ontologies,
            "ids": self.ids,
            "columns": self.columns,
        }
        rows = ",\n".join(f"    {json.dumps(row)}" for row in self.rows)
        return f'{json.dumps(head, indent=2)[:-2]},\n  "rows": [\n{rows}\n  ]\n}}\n'

    @property
    def digest(self) -> str:
        """SHA-256 of its file."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @classmethod
    def load(cls, path: str | Path) -> Scheme:
        """Read a scheme; an error names the line or key that is wrong."""
        path = Path(path)
        try:
            content = json.loads(regular(path).read_bytes())
        except OSError as error:
            raise OntomaskError(f"the scheme cannot be read ({error.strerror})", file=str(path)) from None
        except json.JSONDecodeError as error:
            raise OntomaskError(f"no JSON: {error.msg}", file=path.name, line=error.lineno) from None
        except (ValueError, RecursionError):
            raise OntomaskError(
                "no scheme: neither UTF-8 nor JSON that can be read", file=path.name
            ) from None
        faults = [*_faults(content)]
        if faults:
            raise OntomaskError(*faults, file=path.name)
        return cls(
            columns=tuple(content["columns"]),
            rows=tuple(dict.fromkeys(tuple(row) for row in content["rows"])),
            ids=content["ids"],
            decided=content["plan"]["decided"],
            ontologies=content["ontologies"],
            plan_digest=content["plan"]["sha256"],
            path=path,
        )

    def write(self, path: str | Path) -> None:
        """Write it to a file, which may be there already only if it is a scheme."""
        check_target(Path(path))
        with replacing(path) as staged:
            staged.write_text(self.text, encoding="utf-8")

    # ------------------------------------------------------------------ used again

    def check(self, plan: Plan) -> None:
        """`PlanError` that names everything in which a plan asks for something else than was decided."""
        asked, file = _decided(plan), self.path.name if self.path else ""
        faults = [
            Fault(
                f"the scheme was made with {_said(self.decided, key)}, the plan has {_said(asked, key)}",
                key=key,
            )
            for key in dict.fromkeys([*self.decided, *asked])
            if self.decided.get(key) != asked.get(key)
        ]
        masked = plan.with_role("quasi-identifier")
        if not faults and sorted(masked) != sorted(self.columns):  # somebody changed the file
            said = (
                f"the scheme is of the columns {', '.join(self.columns)}, the plan masks {', '.join(masked)}"
            )
            faults = [Fault(said, key="columns")]
        if not faults:  # else it is known why
            faults = [
                Fault(
                    "the ontology is not the one that the scheme was made with",
                    key=f"attributes.{name}.ontology",
                )
                for name, one in ontologies_of(plan).items()
                if self.ontologies.get(name) != one
            ]
        if faults:
            raise PlanError(
                *faults, file=file, remedy="use the plan of the scheme, or decide anew, without it"
            )

    def applied(self, columns: Sequence[Column]) -> tuple[tuple[ReusedColumn, ...], Int32]:
        """The columns with what was released before among their replacements, and each combination of these.

        Combinations with a text that means nothing in this table, such as a word that neither it nor the
        ontology has, are left out.
        """
        place = {name: j for j, name in enumerate(self.columns)}
        found, values = [], []
        for column in columns:
            texts = [row[place[column.name]] for row in self.rows]
            distinct = list(dict.fromkeys(texts))
            means = self.ids.get(column.name, {})
            try:
                one, of_text = reused(column, distinct, [means.get(text or "") for text in distinct])
            except OntomaskError as error:
                raise error.at(file=self.path.name if self.path else "") from None
            number = dict(zip(distinct, of_text.tolist(), strict=True))
            found.append(one)
            values.append([number[text] for text in texts])
        table = np.array(values, np.int32).T
        known = np.unique(table[(table >= 0).all(axis=1)], axis=0)
        if not len(known):
            raise NothingLeftError(
                "nothing that the scheme released means anything in this table",
                remedy="decide anew, without it",
            )
        return tuple(found), known


def as_scheme(scheme: Scheme | str | Path) -> Scheme:
    """A scheme given as such, or as the path of its file."""
    return scheme if isinstance(scheme, Scheme) else Scheme.load(scheme)


def check_decides(plan: Plan) -> None:
    """Raise if a plan decides nothing for others: its method writes combinations that one person may have."""
    if not plan.method.own.gives_k:
        raise OntomaskError(
            f"{plan.promised}: what it writes is no scheme for another table",
            key="method.name",
            remedy="use another method, or mask the other table by this one",
        )


def check_target(path: Path) -> None:
    """Raise if something stands where a scheme is to be written, unless that is a scheme."""
    if not is_there(path):
        return
    try:
        Scheme.load(path)
    except OntomaskError:
        raise OntomaskError(
            f"cannot write {path}: it is there already, and no scheme", remedy="choose another name"
        ) from None


def _decided(plan: Plan) -> dict[str, Any]:
    """What of a plan must be the same when a scheme of it is used again, by key; as JSON has it."""
    settings = plan.as_public_dict()
    columns = plan.with_role("quasi-identifier")
    found = {
        "attributes": {name: settings["attributes"][name] for name in columns},
        "method": settings["method"],
        "release": {name: "truthful" if plan.is_truthful(name) else "central" for name in columns},
        "requirements": sorted(str(one) for one in plan.requirements()),
    }
    return dict(_dotted(json.loads(json.dumps(found))))


def _dotted(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Settings of all sections, such as `method.name`."""
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from ((f"{key}.{below}", one) for below, one in _dotted(value))
        else:
            yield key, value


def _said(decided: Mapping[str, Any], key: str) -> str:
    """A setting as it is told: shortly."""
    value = decided.get(key)
    if value is None:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else shown(value)


def _faults(content: Any) -> Iterator[Fault]:
    """What is wrong with the content of a scheme's file."""
    if not isinstance(content, dict) or content.get("kind") != _KIND:
        yield Fault("no scheme", remedy="give a file that `ontomask anonymize --save-scheme` wrote")
        return
    if content.get("version") != VERSION:
        yield Fault("a scheme of another version", key="version", remedy="make it anew with this one")
        return
    columns = content.get("columns")
    if not _is_list(columns, str) or not columns:
        yield Fault("must be a list of names", key="columns")
        return
    plan, rows, ids = content.get("plan"), content.get("rows"), content.get("ids")
    if not (
        isinstance(plan, dict)
        and isinstance(plan.get("sha256"), str)
        and isinstance(plan.get("decided"), dict)
        and _is_list(plan["decided"].get("requirements"), str)
    ):
        yield Fault("must say what was decided", key="plan")
    if not isinstance(content.get("ontologies"), dict):
        yield Fault("must have the digest of each ontology", key="ontologies")
    if not isinstance(ids, dict) or not all(
        isinstance(one, dict) and _is_list([*one, *one.values()], str) for one in ids.values()
    ):
        yield Fault("must have the ids of each column's texts", key="ids")
    if not isinstance(rows, list) or not rows:
        yield Fault("must be a list of combinations", key="rows")
        return
    for i, row in enumerate(rows):
        if not _is_list(row, str, type(None)) or len(row) != len(columns):
            yield Fault(
                f"number {i + 1} must have a text or null for each of {len(columns)} columns", key="rows"
            )
            return


def _is_list(value: Any, *kinds: type) -> bool:
    """Whether a value is a list of such things, and its texts can be written."""
    return isinstance(value, list) and all(isinstance(one, kinds) and _is_writable(one) for one in value)


def _is_writable(value: Any) -> bool:
    return not isinstance(value, str) or not any("\ud800" <= letter <= "\udfff" for letter in value)
