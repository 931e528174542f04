"""What it costs to do again what was decided: fit on half of Adult, apply to the other half.

`python benchmarks/reuse.py`. Halves are drawn with a seed. What the scheme of the first half makes of the
second is put beside a release that is decided anew for it; the requirements are counted on the written file
by plain code. A requirement that does not hold makes the exit status 1.
"""

from __future__ import annotations

import csv
import platform
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ontomask as om
from hierarchies import adult_plan
from measures import Table, busy
from subjects import ADULT, adult_8

SEED = 1
SEPARATOR = ";"


@dataclass(frozen=True)
class Case:
    """A plan, and what the judge counts."""

    name: str
    plan: om.Plan
    k: int = 5
    l: tuple[str, int] | None = None  # noqa: E741 -- the letter of the literature
    t: tuple[str, float] | None = None


def cases() -> list[Case]:
    """Adult with eight quasi-identifiers; where occupation is confidential, seven."""
    plan = adult_8().plan
    income = plan.replace(attributes={"salary-class": {"role": "confidential"}})
    work = plan.replace(attributes={"occupation": None}).replace(
        attributes={"occupation": {"role": "confidential"}}
    )
    with_hierarchies = adult_plan().with_method("datafly").replace(privacy={"k": 5, "suppress": "5%"})
    return [
        Case("sa-mdav, k = 5", plan),
        Case("and income l = 2", _asked(income, l={"salary-class": 2}), l=("salary-class", 2)),
        Case("and income t = .2", _asked(income, t={"salary-class": 0.2}), t=("salary-class", 0.2)),
        Case("and occupation l = 3", _asked(work, l={"occupation": 3}), l=("occupation", 3)),
        Case("and occupation t = .4", _asked(work, t={"occupation": 0.4}), t=("occupation", 0.4)),
        Case("datafly, k = 5, 5 %", with_hierarchies),
    ]


def _asked(plan: om.Plan, **more: Any) -> om.Plan:
    return plan.replace(privacy={"k": 5} | more)


def main() -> int:
    """Run it all."""
    if not ADULT.exists():
        print(f"skipped: the data set is not at hand ({ADULT}); set ONTOMASK_DATA")
        return 0
    table = Table()
    print(f"ontomask {om.__version__}, Python {platform.python_version()}, {platform.machine()}, one thread")
    print(busy())
    with TemporaryDirectory() as folder:
        first, second = halves(Path(folder))
        om.anonymize(first, cases()[0].plan)  # compiles
        table.title("Loss of the second half of Adult (mean distance, % of the greatest)")
        for case in cases():
            one_case(table, case, first, second)
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


def halves(folder: Path) -> tuple[Path, Path]:
    """Two files, each with a random half of the rows."""
    heading, *rows = ADULT.read_text(encoding="utf-8").splitlines()
    random.Random(SEED).shuffle(rows)
    middle = len(rows) // 2
    for name, some in (("first.csv", rows[:middle]), ("second.csv", rows[middle:])):
        (folder / name).write_text("\n".join([heading, *some]) + "\n", encoding="utf-8")
    return folder / "first.csv", folder / "second.csv"


def one_case(table: Table, case: Case, first: Path, second: Path) -> None:
    """The second half, decided anew and by the scheme of the first."""
    scheme = om.anonymize(first, case.plan).scheme
    begin = time.perf_counter()
    fresh = om.anonymize(second, case.plan)
    middle = time.perf_counter()
    again = om.anonymize(second, case.plan, scheme=scheme)
    end = time.perf_counter()
    target = second.with_name("release.csv")
    again.write(target)
    losses = [100 * one.figures["semantic_loss"] for one in (fresh, again)]
    left_out = [f"{one.figures['suppressed']:,}" for one in (fresh, again)]
    table.line(
        case.name,
        f"{losses[1]:.2f}, anew {losses[0]:.2f}",
        "holds",
        holds(case, target),
        f"{again.figures['classes']:,} of {len(scheme.rows):,} classes, anew {fresh.figures['classes']:,}; "
        f"left out {left_out[1]}, anew {left_out[0]}; {end - middle:.1f} s, anew {middle - begin:.1f} s",
    )


def holds(case: Case, release: Path) -> bool:
    """Whether the written file has what was asked for, counted row by row."""
    with release.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=SEPARATOR))
    masked = case.plan.with_role("quasi-identifier")
    classes: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in rows:
        classes.setdefault(tuple(row[name] for name in masked), []).append(row)
    sizes_hold = min(map(len, classes.values())) >= case.k
    values_hold = case.l is None or all(
        len({row[case.l[0]] for row in members}) >= case.l[1] for members in classes.values()
    )
    return sizes_hold and values_hold and (case.t is None or _is_close(rows, [*classes.values()], *case.t))


def _is_close(rows: list[dict[str, str]], classes: list[list[dict[str, str]]], column: str, t: float) -> bool:
    """Half the summed differences of shares: the mover's distance if all values are equally far apart."""
    whole = Counter(row[column] for row in rows)
    for members in classes:
        own = Counter(row[column] for row in members)
        apart = sum(abs(own[value] / len(members) - n / len(rows)) for value, n in whole.items()) / 2
        if apart > t + 1e-9:
            return False
    return True


if __name__ == "__main__":
    sys.exit(main())
