"""Blocks as tasks of Spark: the same lines as in this process, and a release that is k-anonymous."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ontomask as om
from blocks.killing import Killing
from blocks.people import Stored, people, plan_of
from ontomask.blocks import spark as in_spark
from ontomask.errors import InternalError
from ontomask.tables import open_table

N, SIZE = 400, 80
MASKED = ["job", "age", "place"]


@pytest.fixture(scope="module", autouse=True)
def _small_blocks(spark: Any) -> Iterator[None]:
    """Blocks of a few tuples."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(in_spark, "BLOCK", SIZE)
        patch.setattr(in_spark, "_LINES_OF_PARTITION", N // 4)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The people as a folder of Parquet files."""
    path = tmp_path_factory.mktemp("spark") / "people"
    path.mkdir()
    table = people(N)
    for at in range(2):
        pq.write_table(table.slice(at * N // 2, N // 2), path / f"{at}.parquet")
    return path


@pytest.fixture(scope="module")
def plan() -> om.Plan:
    return plan_of(
        method={"name": "resampling", "blocks": "spark"}, table={"engine": "spark", "master": "local[2,4]"}
    )


@pytest.fixture(scope="module")
def release(folder: Path, plan: om.Plan) -> om.Release:
    """Made though a worker of Spark is killed."""
    once = folder.parent / "once"
    deadly: om.Plan = pickle.loads(pickle.dumps(plan))
    object.__setattr__(deadly.method, "own", Killing(once=str(once)))
    found = om.anonymize(folder, deadly)
    assert once.exists()
    return found


@pytest.fixture(scope="module")
def rows(release: om.Release) -> pa.Table:
    return release.to_arrow()


def rows_of(table: pa.Table) -> Counter[tuple[Any, ...]]:
    return Counter(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))


def lines_of(table: pa.Table) -> Counter[str]:
    """Lines of a sharing; stored values as texts."""
    return Counter(
        str(sorted((name, str(value)) for name, value in line.items() if value is not None))
        for line in table.to_pylist()
    )


@pytest.mark.parametrize("part", ["whole", "split", "ranges"])
def test_spark_gives_the_lines_of_this_process(release: om.Release, plan: om.Plan, part: str) -> None:
    here = Stored(people(N), plan)
    rules = here.rules(SIZE)
    made = [lines for block in here.masked(rules) if (lines := getattr(block, part)) is not None]
    sharing: Any = release.data._sharing  # type: ignore[attr-defined]
    found = release.data._table.fetched(getattr(sharing, part))  # type: ignore[attr-defined]
    assert rules.n_blocks > 2 and made
    assert lines_of(found) == lines_of(pa.concat_tables(made))


def test_the_release_is_k_anonymous_and_its_figures_are_right(release: om.Release, rows: pa.Table) -> None:
    found, original = rows, people(N)
    assert [found.schema.field(name).type for name in MASKED[1:]] == [pa.int32(), pa.int64()]
    classes = rows_of(found.select(MASKED))
    assert min(classes.values()) >= 3 and found.num_rows == N
    assert min(len({*map(str.lower, ill)}) for ill in ills_of(found).values()) >= 2
    assert rows_of(found.select(["ill", "row"])) == rows_of(original.select(["ill", "row"]))
    expected = om.evaluate(original, found, plan_of(), key="row")
    for name, figure in release.figures.items():
        if name in expected:
            assert figure == pytest.approx(expected[name], rel=1e-9), name
    assert {
        "semantic_loss",
        "information_loss",
        "classes",
        "sse.job",
    } <= expected.keys() & release.figures.keys()
    assert len(classes) == release.figures["classes"]


def ills_of(table: pa.Table) -> dict[tuple[Any, ...], list[str]]:
    found: dict[tuple[Any, ...], list[str]] = {}
    for *masked, ill in zip(*(table[name].to_pylist() for name in [*MASKED, "ill"]), strict=True):
        found.setdefault(tuple(masked), []).append(ill)
    return found


def test_what_is_written_is_counted_by_spark(
    release: om.Release, rows: pa.Table, plan: om.Plan, tmp_path: Path
) -> None:
    manifest = json.loads(release.write(tmp_path / "out").read_text())
    assert (
        manifest["figures"]["k_reached"] >= 3 and manifest["plan"]["settings"]["method"]["blocks"] == "spark"
    )
    written = pq.read_table(tmp_path / "out")
    assert rows_of(written) == rows_of(rows)
    spoilt = tmp_path / "spoilt"
    spoilt.mkdir()
    alone = written.slice(0, 1).set_column(
        1, written.schema.field(1), pa.array([99], written.schema.field(1).type)
    )
    pq.write_table(pa.concat_tables([written, alone]), spoilt / "0.parquet")
    with pytest.raises(InternalError, match="k = 3 does not hold for 1 of"):
        release.check(open_table(spoilt, plan.table_options()))


def test_there_is_no_report_and_no_scheme(release: om.Release, folder: Path, plan: om.Plan) -> None:
    for part in ("scheme", "view", "tuples", "masking"):
        with pytest.raises(om.OntomaskError, match="no report and no scheme"):
            getattr(release, part)
    with pytest.raises(om.OntomaskError, match="not done in blocks"):
        om.anonymize(folder, plan, scheme=folder / "scheme.json")
