"""A table larger than memory, released through DuckDB by the whole command: seconds and peak memory.

`python benchmarks/engine.py --rows 100000000` makes the table (8 columns, 4 of them words to be masked,
50,000 distinct tuples, as a folder of Parquet files), releases it, and removes both. The bar, 4 minutes and
3 GiB on two cores, is that of 100 million rows. `--one-file` takes a single file, whose rows keep their
order; `--split` a method that splits tuples over groups, so that their rows are dealt by md5.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

import ontomask as om
from measures import Table, busy

TUPLES, RARE = 50_000, 30_000
WORDS = {"job": ("worker", 40), "sport": ("sport", 30), "food": ("food", 40), "animal": ("mammal", 30)}
FILES = 16
COMMAND = (sys.executable, "-c", "from ontomask.cli import main; main()")
SEED = 1


def main() -> int:
    """Make it, release it, measure it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--one-file", action="store_true")
    parser.add_argument("--split", action="store_true")
    parser.add_argument(
        "--folder", type=Path, help="where the table is made; a temporary folder if not given"
    )
    options = parser.parse_args()
    table = Table()
    print(busy())
    with tempfile.TemporaryDirectory(prefix="ontomask-bench-", dir=options.folder) as name:
        folder = Path(name)
        source = folder / ("people.parquet" if options.one_file else "people")
        begin = time.perf_counter()
        make(source, options.rows)
        size = sum(file.stat().st_size for file in ([source] if options.one_file else source.iterdir()))
        made = time.perf_counter() - begin
        table.title(f"{options.rows:,} rows, {size / 1e9:.1f} GB of Parquet (made in {made:.0f} s)")
        seconds, peak, figures = release(source, folder, "s-mdav" if options.split else "sa-mdav")
        table.line("the whole command", f"{seconds:.0f} s", "<= 240 s", seconds <= 240)
        table.line("peak memory", f"{peak / 2**30:.2f} GiB", "<= 3 GiB", peak <= 3 * 2**30)
        table.line("distinct tuples", f"{figures['tuples_before']:,}")
        table.line("classes", f"{figures['classes']:,}", note=f"smallest {figures['smallest_class']:,}")
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


def make(path: Path, n_rows: int) -> None:
    """Write the table: three rows in the mean for each rare tuple, all others for the frequent ones."""
    rng = np.random.default_rng(SEED)
    words = {name: words_below(concept, n) for name, (concept, n) in WORDS.items()}
    drawn = np.stack([rng.integers(0, len(own), 3 * TUPLES) for own in words.values()])
    distinct = rng.permutation(np.unique(drawn, axis=1).T)[:TUPLES].T
    columns = {
        name: pa.array(own).take(pa.array(codes))
        for (name, own), codes in zip(words.items(), distinct, strict=True)
    }
    tuples = pa.table({"t": pa.array(range(TUPLES)), **columns})
    with duckdb.connect(config={"memory_limit": "2GB"}) as connection:
        connection.register("tuples", tuples)
        connection.sql("SET preserve_insertion_order = false")
        step = -(-n_rows // (1 if path.suffix else FILES))
        if not path.suffix:
            path.mkdir()
        for at, first in enumerate(range(0, n_rows, step)):
            target = path if path.suffix else path / f"{at}.parquet"
            connection.sql(
                f"""COPY (
                  SELECT 'P' || i AS id, job, sport, food, animal,
                         'illness ' || hash(i + 1) % 500 AS illness,
                         hash(i + 2) % 10000000 / 100 AS pay,
                         DATE '2020-01-01' + CAST(hash(i + 3) % 1000 AS INTEGER) AS seen
                  FROM range({first}, {min(first + step, n_rows)}) AS numbers(i)
                  JOIN tuples ON t = CASE
                    WHEN i < {3 * RARE} THEN {TUPLES - RARE} + hash(i) % {RARE}
                    ELSE CAST(floor({TUPLES - RARE} * pow(hash(i) % 1000003 / 1000003, 3)) AS INTEGER) END
                ) TO '{target}' (FORMAT parquet, COMPRESSION zstd)"""
            )


def words_below(concept: str, n: int) -> list[str]:
    """n words of WordNet below a concept, spread over it."""
    ontology = om.load_ontology("wordnet")
    everything = np.arange(len(ontology))
    below = everything[ontology.is_below(everything, ontology.concept(concept))].tolist()
    return sorted({ontology.labels[c] for c in below[:: max(len(below) // (2 * n), 1)]})[:n]


def release(source: Path, folder: Path, method: str) -> tuple[float, int, dict[str, int]]:
    """Seconds by the clock, peak memory in bytes and figures of `ontomask anonymize`."""
    target = folder / ("release.parquet" if source.suffix else "release")
    asked = [f"--qi={name}:wordnet" for name in WORDS] + [
        "--identifier=id",
        "--others=keep",
        "-k",
        "5",
        f"--method={method}",
    ]
    begin = time.perf_counter()
    process = subprocess.Popen(
        [*COMMAND, "anonymize", str(source), *asked, "-o", str(target), "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit("ontomask anonymize stopped")
    figures: dict[str, int] = json.loads(said)["figures"]
    return time.perf_counter() - begin, used.ru_maxrss * 1024, figures


if __name__ == "__main__":
    sys.exit(main())
