"""Methods side by side: every method at every k on one table that is read and linked once."""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from ontomask.assessment.evaluate import figures_of
from ontomask.columns.further import confidential_columns
from ontomask.errors import NothingLeftError, OntomaskError
from ontomask.files import staging
from ontomask.manifest import as_json
from ontomask.methods import METHODS
from ontomask.outputs import check_apart
from ontomask.pipeline import Prepared, prepare, released
from ontomask.plan import Plan, as_plan
from ontomask.progress import Listener, Phases
from ontomask.release import Release


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
    # What stands for a group's numbers is part of the columns, and so are hierarchies and truth.
    by_columns = {_columns_asked(plan): prepared}
    coded = confidential_columns(prepared.table, plan, prepared.further)
    own: Release | None = None
    rows, left_out = [], []
    for name in methods:
        for size in k:
            asked = _asked(plan, name, size)
            if not asked.method.own.has_groups and size != k[0]:
                continue  # k means nothing to it
            phases.tell(_phase(name, size))
            columns = _columns_asked(asked)
            if columns not in by_columns:
                by_columns[columns] = prepare(prepared.table, asked)
            start = time.perf_counter()
            try:
                release = released(by_columns[columns], asked)
            except NothingLeftError:
                left_out.append((name, size))
                continue
            seconds = time.perf_counter() - start
            method = asked.method.own
            told = {
                "method": name,
                "k": size if method.has_groups else None,
                "seconds": seconds,
                "gives_k": method.gives_k,
            }
            rows.append(told | figures_of(release, coded))
            if asked.digest == plan.digest:
                own = release
    return Comparison(rows, left_out, own or released(prepared, plan))


def phases_of(methods: Sequence[str], k: Sequence[int]) -> dict[str, float]:
    """The phases of a comparison, and about how long each takes; what forms no groups runs once.

    >>> list(phases_of(["sa-mdav", "noise"], [2, 3]))
    ['reading', 'linking', 'sa-mdav, k = 2', 'sa-mdav, k = 3', 'noise']
    """
    return {"reading": 2.0, "linking": 2.0} | {_phase(name, size): 5.0 for name in methods for size in k}


def _phase(name: str, k: int) -> str:
    return f"{name}, k = {k}" if name not in METHODS or METHODS[name].has_groups else name


def _asked(plan: Plan, name: str, k: int) -> Plan:
    """The plan with another method and k; of a method that gives no k nothing else is asked."""
    kind = METHODS.get(name)
    method = plan.method.own if kind is None or name == plan.method.name else kind()
    if method.gives_k:
        return plan.with_method(name).replace(privacy={"k": k})
    nothing = {key: None for key in plan.privacy.settings if key != "key_file"}
    central = {column: {"release": None} for column in plan.attributes}
    bare = plan.replace(privacy=nothing, release=None, attributes=central).with_method(name)
    return bare.replace(privacy={"k": k}) if method.has_groups else bare


def _columns_asked(plan: Plan) -> tuple[Any, ...]:
    """What of a method its columns depend on, and those beside them."""
    method = plan.method.own
    truthful = tuple(plan.is_truthful(name) for name in plan.with_role("quasi-identifier"))
    return plan.method.centroid, method.has_hierarchies, method.splits_numbers, truthful, plan.needed()
