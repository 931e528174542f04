"""Rows before and after: against a count of the released rows, cell by cell."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import ontomask as om
from ontomask.report.changes import MISSING, SUPPRESSED_TEXT
from ontomask.report.choices import choices, own_choice
from ontomask.report.samples import Row, sample_rows

COLUMNS = ("age", "town", "job")


def people(n: int = 240) -> pa.Table:
    rng = np.random.default_rng(5)
    return pa.table(
        {
            "key": [f"{i}" for i in range(n)],
            "age": rng.choice([20, 30, 31, 32, 80], n, p=[0.4, 0.3, 0.2, 0.09, 0.01]).tolist(),
            "town": rng.choice(["Ayr", "Bath", "Cork", None], n, p=[0.6, 0.3, 0.07, 0.03]).tolist(),
            "job": rng.choice(["nurse", "cook", "judge"], n, p=[0.7, 0.28, 0.02]).tolist(),
        }
    )


def plan(method: str, k: int) -> om.Plan:
    return om.Plan.from_options(
        ["age:numeric", "town:flat", "job:flat"], k=k, method=method, others="keep", unmapped="own-leaf"
    )


def shared(row: Row, before: dict[str, list[str]], after: dict[str, list[str]]) -> int:
    """How many rows of the table have all that is told of a row, before and after."""
    told = [(name, cell) for name, cell in zip(COLUMNS, row, strict=True) if cell is not None]
    n = len(before["key"])
    return sum(all((before[c][i], after[c][i]) == (x.before, x.after) for c, x in told) for i in range(n))


def texts(table: pa.Table) -> dict[str, list[str]]:
    return {
        name: [MISSING if x is None else str(x) for x in table[name].to_pylist()]
        for name in table.column_names
    }


@pytest.mark.parametrize("method", ["sa-mdav", "s-mdav", "recoding", "suppression"])
@pytest.mark.parametrize("k", [3, 12])
def test_at_least_k_rows_share_what_is_told_of_one(method: str, k: int) -> None:
    table = people()
    release = om.anonymize(table, plan(method, k))
    before, released = texts(table), texts(release.to_arrow())
    became = {key: i for i, key in enumerate(released["key"])}
    after = {
        name: [released[name][became[key]] if key in became else SUPPRESSED_TEXT for key in before["key"]]
        for name in COLUMNS
    }
    rows = sample_rows(release)
    assert rows
    assert all(shared(row, before, after) >= k for row in rows)
    internal = sample_rows(release, internal=True)
    assert all(None not in row for row in internal)
    assert min(shared(row, before, after) for row in internal) < k, "so there was something to hide"


def test_another_method_or_k_tells_nothing_rarer_than_the_plan_allows() -> None:
    table = people()
    before, k = texts(table), 10
    for one in choices(table, plan("sa-mdav", k), ["sa-mdav", "noise"], [1, 3]):
        assert one.samples
        assert all(_sharing(row, before) >= k for row in one.samples), (one.method, one.k)
        stricter = one.samples_for(plan("sa-mdav", 40))
        assert stricter
        assert all(_sharing(row, before) >= 40 for row in stricter)
    few = table.slice(0, 30)
    before, nobody = texts(few), own_choice(few, plan("sa-mdav", 1))
    assert nobody.samples
    assert all(_sharing(row, before) >= 2 for row in nobody.samples_for(plan("sa-mdav", 1)))
    assert any(_sharing(row, before) == 1 for row in nobody.internal)


def test_what_is_told_of_other_methods_is_of_so_many_people() -> None:
    table = people().append_column("pid", pa.array([f"{i % 80}" for i in range(240)]))
    asked = plan("sa-mdav", 5).replace(privacy={"unit": "pid"})
    for one in choices(table, asked, ["sa-mdav", "noise"], [2]):
        assert one.samples
        assert all(cell is None or cell.rows >= 4 * 4 + 1 for row in one.samples for cell in row)


def _sharing(row: Row, before: dict[str, list[str]]) -> int:
    """How many rows of the table had all that is told of a row."""
    told = [(name, cell) for name, cell in zip(COLUMNS, row, strict=True) if cell is not None]
    return sum(all(before[c][i] == x.before for c, x in told) for i in range(len(before["key"])))


def test_two_releases_tell_no_more_than_one() -> None:
    told: dict[tuple[str, ...], list[set[str]]] = {}
    for method, k in (("sa-mdav", 3), ("sa-mdav", 12), ("recoding", 3), ("suppression", 4)):
        release = om.anonymize(people(), plan(method, k))
        rows = _rows_by_original(release)
        for original, row in rows.items():
            shown = {name for name, cell in zip(COLUMNS, row, strict=True) if cell is not None}
            told.setdefault(original, []).append(shown)
    assert all(a <= b or b <= a for shown in told.values() for a in shown for b in shown)


def _rows_by_original(release: om.Release) -> dict[tuple[str, ...], Row]:
    """What is told of each row that is looked at, by all of its original values."""
    from ontomask.report.samples import _Rows

    rows, every = _Rows.of(release, internal=False), _Rows.of(release, internal=True)
    return {
        tuple(cell.before for cell in every.told(entry) if cell): rows.told(entry)
        for entry in rows.spread(100)
    }
