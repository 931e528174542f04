"""Blocks as tasks of Spark: the same lines as in this process, and a release that is k-anonymous."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ontomask as om
from blocks.killing import Killing
from blocks.people import Stored, people, plan_of
from ontomask.blocks import spark
from ontomask.blocks.masking import Recipe
from ontomask.blocks.spark import SparkBlocks
from ontomask.errors import InternalError, TableError
from ontomask.tables import Table, open_table

pytest.importorskip("pyspark", reason="needs pyspark")
pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")

N, SIZE = 400, 80
MASKED = ["job", "age", "place"]


@pytest.fixture(scope="module", autouse=True)
def _small_blocks() -> Iterator[None]:
    """Blocks of a few tuples; workers of Spark find the modules of the tests."""
    before = os.environ.get("PYTHONPATH")
    paths = [str(Path(__file__).parents[1]), *filter(None, [before])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(paths))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setattr(spark, "BLOCK", SIZE)
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
    return plan_of(method={"blocks": "spark"}, table={"engine": "spark", "master": "local[2,4]"})


@pytest.fixture(scope="module")
def table(folder: Path, plan: om.Plan) -> Table:
    return open_table(folder, plan.table_options())


@pytest.fixture(scope="module")
def release(table: Table, plan: om.Plan) -> om.Release:
    return om.anonymize(table, plan)


def rows_of(table: pa.Table) -> Counter[tuple[Any, ...]]:
    return Counter(zip(*(table[name].to_pylist() for name in table.column_names), strict=True))


def line_of(line: dict[str, Any]) -> str:
    """A line of a block; stored values as texts."""
    return str(sorted((name, str(value)) for name, value in line.items() if value is not None))


def lines_of(table: Table, recipe: Recipe) -> list[str]:
    """What Spark has of all blocks."""
    blocks = SparkBlocks.of(table, recipe)
    found = blocks.masked(blocks.rules()).filter("part != 'told'").drop("told").toArrow()
    return sorted(map(line_of, found.to_pylist()))


def test_spark_gives_the_lines_of_this_process_though_a_worker_dies(
    table: Table, plan: om.Plan, tmp_path: Path
) -> None:
    here = Stored(people(N), plan)
    rules, expected = here.rules(SIZE), []
    for block, made in enumerate(here.masked(rules)):
        parts = {"whole": made.whole, "split": made.split, "ranges": made.ranges, "tally": made.tally}
        for part, lines in parts.items():
            beside = {"part": part, "block": block}
            expected += [line_of(line | beside) for line in ([] if lines is None else lines.to_pylist())]
    assert rules.n_blocks > 2
    once = tmp_path / "once"
    deadly: om.Plan = pickle.loads(pickle.dumps(plan))
    object.__setattr__(deadly.method, "own", Killing(once=str(once)))
    try:
        found = lines_of(table, replace(here.recipe, plan=deadly))
    except TableError:  # in a session that tries nothing twice there is no release
        found = lines_of(table, here.recipe)
    assert found == sorted(expected) and once.exists()


def test_the_release_is_k_anonymous_and_its_figures_are_right(release: om.Release, plan: om.Plan) -> None:
    found, original = release.to_arrow(), people(N)
    assert [found.schema.field(name).type for name in MASKED[1:]] == [pa.int32(), pa.int64()]
    classes = rows_of(found.select(MASKED))
    assert min(classes.values()) >= 3 and found.num_rows == N
    assert min(len(set(ill)) for ill in ills_of(found).values()) >= 2
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


def test_what_is_written_is_counted_by_spark(release: om.Release, plan: om.Plan, tmp_path: Path) -> None:
    manifest = json.loads(release.write(tmp_path / "out").read_text())
    assert (
        manifest["figures"]["k_reached"] >= 3 and manifest["plan"]["settings"]["method"]["blocks"] == "spark"
    )
    written = pq.read_table(tmp_path / "out")
    assert rows_of(written) == rows_of(release.to_arrow())
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
