"""Tables where they are, released by the whole command: DuckDB, PostgreSQL, Spark, and blocks on Spark.

`python benchmarks/engines.py` makes a table (8 columns, 4 of them words to be masked) in each engine and in
several sizes, releases it, and removes both; it takes about half an hour and 20 GB of disk. `--only duckdb`
(`postgres`, `spark`, `blocks`) runs a part, `--rows` other sizes. Bars: 100 million rows on DuckDB in four
minutes and 3 GiB on two cores, with 50,000 distinct tuples and with 600,000. Beside them: rows a second, the
share of time that is masking, how the time grows, and the constants of the cost model of
`docs/explanation/scale.md`.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

import ontomask as om
from measures import Table, busy

WORDS = {"job": ("worker", 40), "sport": ("sport", 30), "food": ("food", 40), "animal": ("mammal", 30)}
FEW, MANY, MOST = 50_000, 600_000, 1_000_000
FILES = 16
COMMAND = (sys.executable, "-c", "from ontomask.cli import main; main()")
METHOD = ("--method=annealing", "--set", "method.effort=quick")
SEED, K = 1, 5
SECONDS, MEMORY = 240, 3 << 30
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Run:
    """What a command took: seconds by the clock, memory of it and all of its children, and what it says."""

    rows: int
    seconds: float
    peak: int
    figures: dict[str, Any]
    cost: dict[str, Any]

    @property
    def masking(self) -> float:
        """The share of time that is masking."""
        return float(self.cost["seconds"]["masking"]) / self.seconds


def main() -> int:
    """Make them, release them, measure them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", choices=["duckdb", "postgres", "spark", "blocks"])
    parser.add_argument("--rows", type=int, nargs="+", help="in the place of the usual sizes")
    parser.add_argument("--folder", type=Path, help="where tables are made; a temporary folder if not given")
    options = parser.parse_args()
    table = Table()
    print(busy())
    parts = {"duckdb": in_duckdb, "postgres": in_postgres, "spark": in_spark, "blocks": in_blocks}
    with tempfile.TemporaryDirectory(prefix="ontomask-bench-", dir=options.folder) as name:
        for part, run in parts.items():
            if options.only in (None, part):
                run(table, Path(name), options.rows)
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


# ---------------------------------------------------------------------- engines


def in_duckdb(table: Table, folder: Path, sizes: list[int] | None) -> None:
    """Folders of Parquet files; 100 million rows have bars."""
    runs = []
    for rows, tuples in [
        *((rows, FEW) for rows in sizes or (10**6, 10**7, 10**8)),
        (max(sizes or [10**8]), MANY),
    ]:
        with made(folder, rows, tuples) as source:
            run = released(rows, str(source), folder / "release", folder)
        told(table, f"DuckDB, {rows:,} rows, {tuples:,} tuples", run, has_bars=rows == 10**8)
        runs.append(run)
    growth(table, runs[:-1])
    model(table, runs)


def in_spark(table: Table, folder: Path, sizes: list[int] | None) -> None:
    """The same folders, by Spark on the cores of this machine."""
    runs = []
    for rows in sizes or (10**6, 10**7):
        with made(folder, rows, FEW) as source:
            master = ("--engine=spark", f"--master=local[{os.cpu_count()}]")
            run = released(rows, str(source), folder / "release", folder, *master)
        told(table, f"Spark, {rows:,} rows, {FEW:,} tuples", run)
        runs.append(run)
    growth(table, runs)


def in_blocks(table: Table, folder: Path, sizes: list[int] | None) -> None:
    """A million distinct tuples, which are masked as tasks of Spark."""
    for rows in sizes or (4 * MOST,):
        with made(folder, rows, MOST) as source:
            master = ("--engine=spark", f"--master=local[{os.cpu_count()}]", "--set", "method.blocks=spark")
            run = released(rows, str(source), folder / "release", folder, *master)
        told(table, f"blocks on Spark, {rows:,} rows, {MOST:,} tuples", run)


def in_postgres(table: Table, folder: Path, sizes: list[int] | None) -> None:
    """A table of a server of our own, in place."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from engines import postgres_server

    runs = []
    with postgres_server() as server:
        for rows in sizes or (10**6, 10**7):
            server.load("tuples", distinct_tuples(FEW))
            server.do(f"CREATE TABLE people AS {in_sql(rows, FEW, 'postgres')}", "ANALYZE people")
            records = ("--records", str(folder))
            run = released(rows, server.url("people"), server.url("release"), folder, *records)
            server.do("DROP TABLE people, release, tuples")
            told(table, f"PostgreSQL, {rows:,} rows, {FEW:,} tuples", run)
            runs.append(run)
    growth(table, runs)


# ---------------------------------------------------------------------- what is told


def told(table: Table, title: str, run: Run, has_bars: bool = False) -> None:
    """What a run took."""
    table.title(title)
    seconds, gib = f"{run.seconds:.0f} s", f"{run.peak / 2**30:.2f} GiB"
    if has_bars:
        table.line("the whole command", seconds, f"<= {SECONDS} s", run.seconds <= SECONDS)
        table.line("peak memory", gib, f"<= {MEMORY >> 30} GiB", run.peak <= MEMORY)
    else:
        table.line("the whole command", seconds)
        table.line("peak memory, all processes", gib)
    took = run.cost["seconds"]
    table.line("rows a second", f"{run.rows / run.seconds:,.0f}")
    table.line(
        "masking",
        f"{100 * run.masking:.0f} %",
        note=f"{took['masking']:.1f} s; engine {took['engine']:.1f} s",
    )
    table.line(
        "moved",
        f"{run.cost.get('moved', 0) / 1e6:,.0f} MB",
        note=f"of {run.cost.get('bytes', 0) / 1e6:,.0f} MB",
    )
    figures = run.figures
    table.line(
        "distinct tuples", f"{figures['tuples_before']:,}", note=f"smallest class {figures['k_reached']:,}"
    )


def growth(table: Table, runs: list[Run]) -> None:
    """How the time in the engine grows with the rows."""
    if len(runs) < 2:
        return
    first, last = runs[0], runs[-1]
    ratio = last.cost["seconds"]["engine"] / max(first.cost["seconds"]["engine"], 1e-9)
    table.title(f"growth of the engine's time from {first.rows:,} to {last.rows:,} rows")
    table.line("exponent", f"{math.log(ratio) / math.log(last.rows / first.rows):.2f}")


def model(table: Table, runs: list[Run]) -> None:
    """Seconds in the engine = a + b rows + c tuples, by least squares, and masking for each tuple."""
    size = np.array([[1.0, run.rows, run.figures["tuples_before"]] for run in runs])
    engine = np.array([run.cost["seconds"]["engine"] for run in runs])
    a, b, c = np.linalg.lstsq(size, engine, rcond=None)[0]
    table.title("cost model of the engine: a + b rows + c tuples")
    table.line("a", f"{a:.1f} s")
    table.line("b, for each million rows", f"{1e6 * b:.3f} s")
    table.line("c, for each million tuples", f"{1e6 * c:.1f} s")
    last = runs[-1]
    each = 1e6 * last.cost["seconds"]["masking"] / last.figures["tuples_before"]
    table.line("masking, for each million tuples", f"{each:.1f} s")


# ---------------------------------------------------------------------- tables


@contextmanager
def made(folder: Path, rows: int, tuples: int) -> Iterator[Path]:
    """A folder of Parquet files, for as long as the block lasts; the release goes with it."""
    source = folder / "people"
    source.mkdir()
    with duckdb.connect(config={"memory_limit": "4GB"}) as connection:
        connection.register("tuples", distinct_tuples(tuples))
        connection.sql("SET preserve_insertion_order = false")
        step = -(-rows // FILES)
        for at, first in enumerate(range(0, rows, step)):
            query = in_sql(min(first + step, rows), tuples, "duckdb", first)
            connection.sql(f"COPY ({query}) TO '{source}/{at}.parquet' (FORMAT parquet, COMPRESSION zstd)")
    try:
        yield source
    finally:
        for left in (source, folder / "release"):
            rmtree(left, ignore_errors=True)
        for record in folder.glob("release.*.json"):
            record.unlink()


def in_sql(end: int, tuples: int, engine: str, first: int = 0) -> str:
    """Rows `first` to before `end`: one of each tuple, two more of rare ones, all others of frequent ones."""
    rare = tuples * 3 // 5
    if engine == "duckdb":
        numbers, h = f"range({first}, {end}) AS numbers(i)", "hash({})"
    else:
        numbers, h = (
            f"generate_series({first}::bigint, {end - 1}) AS numbers(i)",
            "(hashint8({}) & 2147483647)::bigint",
        )
    rows, i = max(end, 1), h.format("i")
    return f"""
      SELECT 'P' || i AS id, job, sport, food, animal,
             'illness ' || {h.format("i + 1")} % 500 AS illness,
             {h.format("i + 2")} % 10000000 / 100 AS pay,
             DATE '2020-01-01' + CAST({h.format("i + 3")} % 1000 AS INTEGER) AS seen
      FROM {numbers}
      JOIN tuples ON t = CASE
        WHEN i < {tuples} THEN i
        WHEN i < {min(tuples + 2 * rare, rows * 3 // 4)} THEN {tuples - rare} + {i} % {rare}
        ELSE CAST(floor({tuples - rare} * pow({i} % 1000003 / 1000003.0, 3)) AS INTEGER) END"""


def distinct_tuples(n: int) -> pa.Table:
    """n different tuples of words, numbered."""
    rng = np.random.default_rng(SEED)
    words = {name: words_below(concept, most) for name, (concept, most) in WORDS.items()}
    sizes = [len(own) for own in words.values()]
    drawn = np.unravel_index(rng.permutation(math.prod(sizes))[:n], sizes)
    columns = {
        name: pa.array(own).take(pa.array(codes))
        for (name, own), codes in zip(words.items(), drawn, strict=True)
    }
    return pa.table({"t": pa.array(range(n)), **columns})


def words_below(concept: str, n: int) -> list[str]:
    """n words of WordNet below a concept, spread over it."""
    ontology = om.load_ontology("wordnet")
    everything = np.arange(len(ontology))
    below = everything[ontology.is_below(everything, ontology.concept(concept))].tolist()
    return sorted({ontology.labels[c] for c in below[:: max(len(below) // (2 * n), 1)]})[:n]


# ---------------------------------------------------------------------- the command


def released(rows: int, source: str, target: str | Path, folder: Path, *further: str) -> Run:
    """What `ontomask anonymize` takes and says."""
    asked = [
        *(f"--qi={name}:wordnet" for name in WORDS),
        "--identifier=id",
        "--others=keep",
        f"-k{K}",
        *METHOD,
    ]
    command = [*COMMAND, "anonymize", source, *asked, *further, "-o", str(target), "--json", "--quiet"]
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    peak, ended = [0], threading.Event()

    def watch() -> None:
        while not ended.wait(0.2):
            peak[0] = max(peak[0], sum(resident(one) for one in family(process.pid)))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    said, _ = process.communicate()
    seconds = time.perf_counter() - begin
    ended.set()
    watcher.join()
    if process.returncode:
        raise SystemExit("ontomask anonymize stopped")
    answer = json.loads(said)
    cost = json.loads(Path(answer["manifest"]).read_text())["cost"]
    return Run(rows, seconds, peak[0], answer["figures"], cost)


def family(pid: int) -> Iterator[int]:
    """A process and those that it started."""
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from family(int(child))


def resident(pid: int) -> int:
    """Bytes of a process that are in memory."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


if __name__ == "__main__":
    sys.exit(main())
