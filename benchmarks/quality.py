"""How near to the best possible release `annealing` comes, beside the other methods and the proven bounds.

`python benchmarks/quality.py`; with `--peers` beside programs that pip installs too (some minutes more), with
`--picture` loss against seconds and risk against loss are drawn anew. Every bar stands with what must be
reached, what is aimed at, and what was reached, at normal effort and one seed; beside the loss stand the
risks (SRL, RL) and the mean class size as a multiple of k (C_avg). Seconds are of masking itself, by the
clock and of the processor, once everything is compiled; bars of time are on the clock. A missed bar makes the
exit status 1.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import ontomask as om
from clinical import clinical
from closeness import adult_folder, plan_of
from grouping_peers import GROUPING_PEERS, grouped_by
from masking import run_command
from measures import Table, busy
from ontomask.attributes.space import Combine
from ontomask.evaluation import Pairs, ReleaseView, losses
from ontomask.evaluation.generalization import generalization
from ontomask.evaluation.linkage import record_linkage, semantic_record_linkage
from ontomask.methods import Masking
from ontomask.pipeline import Prepared, mask, prepare
from ontomask.privacy import average_class_size
from ontomask.report.charts import scatter
from peers import PeerError
from subjects import ADULT, DATA, ROOT, WORDS_OF_ADULT, Subject, adult_2, insurance
from truthful import ARX, hierarchy_file, truthful_plan

SEED = 1
OTHERS = ("s-mdav", "recoding", "mdav-lcs", "resampling")
COMPARED_AT = 5  # the k at which other methods are run too

ADULT_K = (2, 5, 10, 50, 200, 1000)
WHOLE = (0.060, 0.30, 0.65, 2.5, 5.5, 11.6), (0.0575, 0.285, 0.605, 2.2, 5.25, 11.2)
SPLIT = (0.055, 0.28, 0.60, 2.2, 5.0, 10.5), (0.050, 0.25, 0.54, 2.05, 4.65, 9.6)
BOUND = dict(zip(ADULT_K, (0.0486, 0.2334, 0.5153, 1.991, 4.557, 9.513), strict=True))
GRANULARITY = (0.954, 0.921), (0.956, 0.924)
CEILING = {5: 0.9756, 10: 0.9639}
MIXED_K, MIXED = (3, 5, 10), ((0.86, 0.83, 0.81), (0.82, 0.79, 0.76))
CLINICAL_K, CLINICAL = (2, 3, 5, 10, 20), ((0.85,) * 5, (0.75,) * 5)

PICTURED, PICTURED_METHODS = "Insurance, 4 QI", ("s-mdav", "recoding", "mdav-lcs")
OF_TIME, OF_RISK = (
    ROOT / "docs" / "images" / f"{name}.svg" for name in ("loss-against-time", "risk-against-loss")
)
COLOURS = ("#1668a8", "#b45f06", "#4f8423", "#8e3b8e", "#08807f")
STYLE = (  # charts carry classes only: dark on white, in any reader
    "svg{background:#fff}text{font:13px sans-serif;fill:#1b2530}.v,.at{fill:#53606e;font-size:12px}"
    ".axis{stroke:#53606e;fill:none}.grid{stroke:#d5dbe2;fill:none}"
) + "".join(f".s{i}{{fill:{colour}}}" for i, colour in enumerate(COLOURS))


def main() -> int:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--peers", action="store_true", help="run other programs too")
    parser.add_argument(
        "--picture", action="store_true", help="draw loss against seconds and risk against loss anew"
    )
    parser.add_argument("--only", default="", metavar="TEXT", help="only tables whose title has this")
    options = parser.parse_args()

    table = Table()
    print(f"ontomask {om.__version__}, Python {platform.python_version()}, {platform.machine()}, ", end="")
    print(f"normal effort, seed {SEED}\n{busy()}")
    with tempfile.TemporaryDirectory(prefix="ontomask-bench-") as folder:
        for case in cases(Path(folder)):
            if options.only in case.title:
                rivals = judge(table, case, Path(folder))
                if options.peers and case.figure == "granularity":
                    beside_peers(case, rivals)
                if options.picture and case.title == PICTURED:
                    draw(case)
                    draw_risk(case)
    print(f"\n{busy()}\nbars missed: {', '.join(table.missed) or 'none'}")
    return 1 if table.missed else 0


# ---------------------------------------------------------------------- what is asked


@dataclass(frozen=True)
class Asked:
    """A way of masking: a method with its options, and what it must reach and is to reach at each k."""

    method: str
    options: tuple[tuple[str, Any], ...] = ()
    must: Mapping[int, float] | None = None
    aim: Mapping[int, float] | None = None

    @classmethod
    def annealing(
        cls, ks: Sequence[int] = (), bars: Sequence[Sequence[float]] = ((), ()), **options: Any
    ) -> Asked:
        """Our best, with its bars."""
        must, aim = (dict(zip(ks, one, strict=True)) for one in bars)
        return cls("annealing", tuple(options.items()), must, aim)

    def __str__(self) -> str:
        return " ".join([self.method, *(key if on is True else str(on) for key, on in self.options)])


PLAIN, WEIGHTED = Asked("sa-mdav"), Asked("sa-mdav", (("weighted", True),))


@dataclass(frozen=True)
class Case:
    """A table to be masked by all, and how its loss is counted.

    What is judged is the loss itself, or how many times the least of the rivals' it is.
    """

    subject: Subject
    title: str
    figure: Literal["L %", "granularity", "SSE"]
    ks: Sequence[int]
    ours: Sequence[Asked]
    rivals: Sequence[Asked] = (PLAIN,)
    seconds: float | None = None
    is_ratio: bool = True
    of_command: bool = False
    known: Mapping[str, Mapping[int, float]] | None = None

    @cached_property
    def prepared(self) -> Prepared:
        return prepare(self.subject.table, self.subject.plan)

    @property
    def combine(self) -> Combine:
        return "euclidean" if self.figure == "SSE" else "mean"

    def plan(self, asked: Asked, k: int) -> om.Plan:
        """What the subject's plan becomes."""
        plan = self.subject.plan.with_method(asked.method)
        return plan.replace(method=dict(asked.options), privacy={"k": k}, seed=SEED)

    def made(self, asked: Asked, k: int) -> Made:
        """A release by this method."""
        plan = self.plan(asked, k)
        clock, processor = time.perf_counter(), time.process_time()
        masking = mask(self.prepared, plan)
        return Made(self, k, masking, time.perf_counter() - clock, time.process_time() - processor)


@dataclass(frozen=True)
class Made:
    """What came out."""

    case: Case
    k: int
    masking: Masking
    clock: float
    processor: float

    @cached_property
    def view(self) -> ReleaseView:
        tuples, attributes = self.case.prepared.tuples, self.masking.attributes
        return ReleaseView(tuples, attributes, Pairs.of(tuples, self.masking), self.case.combine)

    @cached_property
    def reached(self) -> float:
        """Loss, or granularity."""
        if self.case.figure == "granularity":
            return generalization(self.view)["granularity"]
        found = losses(self.view)
        return found["information_loss"] if self.case.figure == "L %" else found["sse"] / self.view.pairs.n

    @cached_property
    def srl(self) -> float:
        return semantic_record_linkage(self.view)

    @property
    def rl(self) -> float:
        return record_linkage(self.view)

    @property
    def c_avg(self) -> float:
        return average_class_size(self.view.pairs.class_sizes, self.k)


def cases(folder: Path) -> Iterator[Case]:
    """Those whose data are at hand."""
    if ADULT.exists():
        yield Case(
            adult_2(),
            "Adult, 2 QI",
            "L %",
            ADULT_K,
            [Asked.annealing(ADULT_K, WHOLE), Asked.annealing(ADULT_K, SPLIT, split=True)],
            (PLAIN, WEIGHTED),
            seconds=10,
            is_ratio=False,
            known={"proven bound": BOUND},
        )
        for is_free in (True, False):
            subject = Subject("Adult, 8 QI", ADULT, truthful_plan(is_free))
            yield Case(
                subject,
                f"Adult, 8 QI, truthful, age {'a free range' if is_free else 'by its hierarchy'}",
                "granularity",
                (5, 10),
                [Asked.annealing((5, 10), GRANULARITY) if is_free else Asked.annealing()],
                seconds=5 if is_free else None,
                is_ratio=False,
                known={"proven ceiling": CEILING} if is_free else {"ARX, local recoding": ARX},
            )
        yield from mixed_adult()
    else:
        print(f"skipped: Adult is not at hand ({ADULT}); set ONTOMASK_DATA")
    others = [insurance()] if insurance().table.exists() else []
    for subject in [*others, *clinical(folder)]:
        ours = [Asked.annealing(CLINICAL_K, CLINICAL)]
        yield Case(subject, subject.name, "L %", CLINICAL_K, ours, (PLAIN, WEIGHTED))


def mixed_adult() -> Iterator[Case]:
    """Four numbers and eight words; skipped where raw Adult cannot be downloaded."""
    try:
        folder = adult_folder()
    except PeerError as error:
        print(f"skipped: mixed Adult; {error}")
        return
    plan = plan_of(folder, DATA / "adult", {}, "sa-mdav")
    by_mean, by_squares = ((("combine", one),) for one in ("mean", "euclidean"))
    yield Case(
        Subject("Adult, 12 QI", folder / "adult.csv", plan),
        "Adult, 12 QI, mixed",
        "SSE",
        MIXED_K,
        [Asked.annealing(MIXED_K, MIXED, combine="euclidean")],
        (Asked("sa-mdav", by_mean), Asked("sa-mdav", by_squares)),
        seconds=10,
        of_command=True,
    )


# ---------------------------------------------------------------------- what is printed

COLUMNS = {
    "k": 5, "method": 22, "reached": 9, "x rival": 8, "must": 7, "aim": 7, "bar": 7, "clock s": 8, "CPU s": 7,
    "SRL %": 8, "RL %": 8, "C_avg": 7,
}  # fmt: skip
WORDS = ("method", "bar")


def show(*cells: object) -> None:
    """One line of the table."""
    texts = (f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in cells)
    aligned = (
        f"{text:{'<' if heading in WORDS else '>'}{width}}"
        for text, (heading, width) in zip(texts, COLUMNS.items(), strict=False)
    )
    print("  " + " ".join(aligned).rstrip(), flush=True)


def judge(table: Table, case: Case, folder: Path) -> dict[int, Made]:
    """Mask at every k by all, and print what is reached; the best of the rivals at each k."""
    tuples = case.prepared.tuples
    table.title(f"{case.title}: {case.figure} (p = {len(tuples):,}, n = {tuples.n:,})")
    show(*COLUMNS)
    riskier, best_at = [], {}
    for asked in (*case.rivals, *case.ours):
        case.made(asked, max(case.ks))  # compiles
    for k in case.ks:
        rivals = [case.made(asked, k) for asked in case.rivals]
        unweighted = [made for made, one in zip(rivals, case.rivals, strict=True) if one != WEIGHTED]
        best = (max if case.figure == "granularity" else min)(unweighted, key=lambda made: made.reached)
        best_at[k] = best
        for asked, made in zip(case.rivals, rivals, strict=True):
            line(asked, made, best)
        for name, figures in (case.known or {}).items():
            show(k, name, figures[k])
        for asked in case.ours:
            made = case.made(asked, k)
            command = ""
            seconds = made.clock
            if case.of_command:
                seconds, used = run_command(case.subject, case.plan(asked, k), folder)
                command = f"  command {seconds:.1f} s, {used}"
            line(asked, made, best, verdict(table, case, asked, made, best, seconds), command)
            if made.srl > best.srl + 0.005:
                riskier.append(f"{asked} k = {k} ({made.srl:.2f} against {best.srl:.2f})")
        if k == COMPARED_AT:
            for name in OTHERS:
                try:
                    line(Asked(name), case.made(Asked(name), k), best)
                except om.OntomaskError as error:
                    show(k, name, f"refused: {error}")
    print(f"  SRL is higher than that of SA-MDAV: {'; '.join(riskier) or 'nowhere'}")
    return best_at


def line(asked: Asked, made: Made, rival: Made, verdict: str = "", note: str = "") -> None:
    """What a method made, beside the best rival."""
    k, times = made.k, made.reached / rival.reached
    must, aim = ((bars or {}).get(k, "") for bars in (asked.must, asked.aim))
    risks = (f"{figure:.3f}" for figure in (made.srl, made.rl, made.c_avg))
    clock, processor = (f"{seconds:.2f}" for seconds in (made.clock, made.processor))
    show(k, asked, f"{made.reached:.4f}", f"{times:.3f}", must, aim, verdict, clock, processor, *risks)
    if note:
        print(f"       {note}")


def verdict(table: Table, case: Case, asked: Asked, made: Made, rival: Made, seconds: float) -> str:
    """Which of its bars a release reaches: in loss, in time, and in the risk that k stands for."""
    where = f"{case.title}, {asked}, k = {made.k}"
    if case.seconds and seconds > case.seconds:
        table.missed.append(f"{where}: {seconds:.1f} s > {case.seconds:g} s")
    if made.srl > 100 / made.k:
        table.missed.append(f"{where}: SRL {made.srl:.2f} %")
    if not (asked.must and asked.aim):
        return ""
    value = made.reached / rival.reached if case.is_ratio else made.reached
    sign = -1 if case.figure == "granularity" else 1
    if sign * value > sign * asked.must[made.k]:
        table.missed.append(where)
        return "MISSED"
    return "aim" if sign * value <= sign * asked.aim[made.k] else "must"


def beside_peers(case: Case, rivals: Mapping[int, Made]) -> None:
    """What other programs' groups keep, each given what covers it."""
    files = {name: hierarchy_file(name) for name in WORDS_OF_ADULT}
    if "free range" not in case.title:
        files["age"] = hierarchy_file("age")
    for name in GROUPING_PEERS:
        if name == "anjana" and "age" not in files:
            continue  # knows hierarchies only
        for k in case.ks:
            try:
                made = Made(case, k, *grouped_by(name, case.prepared, k, files))
            except PeerError as error:
                print(f"  {name}: left out; {error}")
                break
            line(Asked(name), made, rivals[k])


def draw(case: Case) -> None:
    """Loss against seconds of every effort and method at one k, as a picture of its own."""
    asked = [Asked("annealing", (("effort", one),)) for one in ("quick", "normal", "thorough")]
    series: dict[str, list[tuple[float, float, str]]] = {}
    for one in [*asked, *case.rivals, *map(Asked, PICTURED_METHODS)]:
        made = case.made(one, COMPARED_AT)
        label = str(one).removeprefix(one.method).strip()
        series.setdefault(one.method, []).append((made.processor, made.reached, label))
    said = "; ".join(
        f"{f'{name} {label}'.strip()}: {y:.3g} % in {x:.2g} s"
        for name, points in series.items()
        for x, y, label in points
    )
    title = f"{case.title}, k = {COMPARED_AT}: loss against time"
    write(scatter(series, title=title, desc=said, x_title="seconds of the processor", y_title="L %"), OF_TIME)


def draw_risk(case: Case) -> None:
    """Risk against loss over k: what is bought by which risk."""
    series = {
        one.method: [(made.reached, made.srl, f"k = {k}") for k in case.ks for made in [case.made(one, k)]]
        for one in (PLAIN, Asked.annealing())
    }
    said = "; ".join(
        f"{name} {label}: {x:.3g} %, {y:.3g} %" for name, points in series.items() for x, y, label in points
    )
    title = f"{case.title}: people found by meaning against loss"
    write(scatter(series, title=title, desc=said, x_title="L %", y_title="SRL %"), OF_RISK)


def write(svg: str, path: Path) -> None:
    """A picture that carries its style."""
    svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    path.write_text(svg.replace("</desc>", f"</desc><style>{STYLE}</style>", 1) + "\n")
    print(f"  {path.relative_to(ROOT)} is drawn")


if __name__ == "__main__":
    sys.exit(main())
