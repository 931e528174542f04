"""Anonymise the two bundled samples with the installed command and show what became of them.

    make demo        or        python demo/run.py [FOLDER]

Releases and manifests go to `out/`. Identifiers are never shown, not even those of invented people.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from ontomask import Plan, datasets

WIDTH = 100
SHOWN_ROWS = 6
CHANGES_PER_COLUMN = 3
STORIES = {
    "survey": "Visitors of a nature park say in their own words why they came and what they like to do.",
    "patients": "A hospital wants to share what its patients had and what was done, but not who they were.",
}
Rows = list[dict[str, str]]


@dataclass(frozen=True)
class Run:
    """One sample before and after."""

    plan: Plan
    command: list[str]
    seconds: float
    figures: dict[str, Any]
    before: Rows
    after: Rows
    files: list[Path]

    @property
    def masked(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return self.plan.with_role("quasi-identifier")

    @property
    def words(self) -> list[str]:
        """Those of them that hold words."""
        return [column for column in self.masked if self.plan.attributes[column].kind == "nominal"]

    @cached_property
    def vocabulary(self) -> dict[str, set[str]]:
        """The words that people used."""
        return {column: {row[column] for row in self.before} for column in self.words}


def main() -> None:
    """Run both samples."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "out")
    folder.mkdir(parents=True, exist_ok=True)
    console = Console(highlight=False, soft_wrap=False)
    console = console if console.is_terminal else Console(highlight=False, width=WIDTH)
    console.print(Text("The first run ever compiles the inner loops, which takes some seconds.", style="dim"))
    for name, story in STORIES.items():
        show(console, story, anonymised(name, folder))
    console.print(Rule(style="dim"))
    installed = _short(Path(sys.executable).with_name("ontomask"))
    console.print(f"Your own table: [bold]{installed} init people.csv -o plan.yaml[/], decide, then")
    console.print(
        f"[bold]{installed} anonymize people.csv --plan plan.yaml -o release.csv --report report.html[/]"
    )


def anonymised(name: str, folder: Path) -> Run:
    """Call the command that a user would call."""
    table, plan, release = datasets.path(f"{name}.csv"), datasets.path(f"{name}.yaml"), folder / f"{name}.csv"
    report = folder / f"{name}.html"
    command = ["ontomask", "anonymize", _short(table), "--plan", _short(plan), "-o", _short(release)]
    command += ["--report", _short(report)]
    installed = Path(sys.executable).with_name("ontomask")
    start = time.perf_counter()
    done = subprocess.run([str(installed), *command[1:], "--json"], stdout=subprocess.PIPE, text=True)
    seconds = time.perf_counter() - start
    if done.returncode:
        sys.exit(done.returncode)  # the command has said why
    return Run(
        plan=Plan.load(plan),
        command=command,
        seconds=seconds,
        figures=json.loads(done.stdout)["figures"],
        before=_read(table),
        after=_read(release),
        files=[release, *sorted(file for file in folder.glob(f"{name}.*") if file != release)],
    )


# ---------------------------------------------------------------------- showing


def show(console: Console, story: str, run: Run) -> None:
    """One sample on the screen."""
    console.print()
    console.print(Rule(f"[bold]{Path(run.files[0]).stem}", align="left"))
    console.print(story)
    console.print(Text("$ " + " ".join(run.command), style="cyan"), soft_wrap=True)
    console.print()
    console.print(side_by_side(run))
    console.print()
    for heading, sentence in in_words(run):
        line = Table.grid(padding=(0, 2))
        line.add_column(width=15, style="bold")
        line.add_column()
        line.add_row(heading, sentence)
        console.print(line)


def side_by_side(run: Run) -> Table:
    """A handful of people before and after; what changed stands out."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    table.add_column("row", justify="right", style="dim")
    for between in ("", "->"):
        if between:
            table.add_column("", style="dim")
        for column in run.masked:
            table.add_column(column.replace("_", " "), no_wrap=True, overflow="fold")
    for at in telling_rows(run):
        old, new = run.before[at], run.after[at]
        table.add_row(
            str(at + 1),
            *(Text(old[column] or "-") for column in run.masked),
            "->",
            *(
                Text(new[column] or "-", style="dim" if old[column] == new[column] else "bold green")
                for column in run.masked
            ),
        )
    return table


def telling_rows(run: Run) -> list[int]:
    """Rows of people who stood alone and some of whose words changed, no two alike, as many as fit."""
    count = Counter(_masked_part(run, row) for row in run.before)
    ranked = []
    for at, (old, new) in enumerate(zip(run.before, run.after, strict=True)):
        changes = {(c, new[c]) for c in run.words if old[c] != new[c]}
        if count[_masked_part(run, old)] == 1 and changes and all(old[c] and new[c] for c in run.words):
            general = sum(word not in run.vocabulary[column] for column, word in changes)
            ranked.append((abs(len(changes) - 2), -general, at, changes))
    chosen: list[int] = []
    seen: set[tuple[str, str]] = set()
    for _, _, at, changes in sorted(ranked, key=lambda one: one[:3]):
        if len(chosen) < SHOWN_ROWS and not changes & seen and _width(run, [*chosen, at]) <= WIDTH:
            chosen.append(at)
            seen |= changes
    return sorted(chosen)


def _width(run: Run, rows: list[int]) -> int:
    """Columns on the screen that `side_by_side` takes, with a space between any two."""
    texts = [
        max(len(column), *(len(table[at][column]) for at in rows))
        for table in (run.before, run.after)
        for column in run.masked
    ]
    return sum(texts) + len(texts) + len("1200 ") + len("-> ")


def in_words(run: Run) -> list[tuple[str, str]]:
    """The key figures, each as a heading and a sentence."""
    f, plan = run.figures, run.plan
    dropped, kept = plan.with_role("identifier"), [c for c in run.after[0] if c not in run.masked]
    cells = [(c, old[c], new[c]) for old, new in zip(run.before, run.after, strict=True) for c in run.masked]
    same = sum(old == new for _, old, new in cells) / len(cells)
    alone = round(f["sample_uniques_before"] / 100 * f["n"])
    return [
        ("before", f"{alone:,} of {f['n']:,} people were the only ones with their values"),
        ("now", f"everybody shares theirs with {f['k_reached'] - 1} others at least (k = {f['k_asked']})"),
        (
            "meaning lost",
            f"{100 * f['semantic_loss']:.1f} % on average, where 100 % is the farthest that two values can "
            f"be apart;\n{100 * same:.0f} % of the masked fields are as they were",
        ),
        ("typical", typical_changes(run)),
        ("as it was", f"{', '.join(kept)}; left out: {', '.join(dropped)}"),
        ("took", f"{run.seconds:.1f} s from start to written file"),
        ("written", ", ".join(_short(file) for file in run.files)),
    ]


def typical_changes(run: Run) -> str:
    """The most frequent changes of words, those to a more general word first; one line per column."""
    lines = []
    for column in run.words:
        changes = Counter(
            (old[column], new[column])
            for old, new in zip(run.before, run.after, strict=True)
            if old[column] != new[column] and old[column] and new[column]
        )
        by_count = sorted(changes, key=lambda change: (-changes[change], change))
        general = [change for change in by_count if change[1] not in run.vocabulary[column]]
        per_new_word: dict[str, str] = {}
        for old, new in [*general, *by_count]:
            per_new_word.setdefault(new, f"{old} -> {new}")
        lines.append(", ".join([*per_new_word.values()][:CHANGES_PER_COLUMN]))
    return "\n".join(lines)


def _masked_part(run: Run, row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[column] for column in run.masked)


def _read(path: Path) -> Rows:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _short(path: Path) -> str:
    """A path as seen from here, if that is shorter."""
    absolute = path.resolve()
    here = Path.cwd()
    return str(absolute.relative_to(here) if absolute.is_relative_to(here) else path)


if __name__ == "__main__":
    main()
