"""An independent judge: pycanon finds k, l and t of releases that the installed command's pipeline wrote.

`make judge`. pycanon lives in an environment of its own in the user's cache folder, made on first use, since
it needs older libraries; where it cannot be installed the run says so and is skipped. This file runs on both
sides: here it writes releases; inside pycanon's environment, where nothing of ours is installed, it judges.
A release with a smaller k or l or a larger t than asked, or an l or t that differs from ours, makes the exit
status 1.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

ALL_K = (2, 5, 10)
MOST_CLASSES = 500
CONFIDENTIAL = {
    "Adult, 2 QI": "salary-class",
    "Adult, 8 QI": "salary-class",
    "Insurance, 4 QI": "class",
    "survey": "satisfaction",
    "patients": "treatment",
}
METHODS: tuple[dict[str, Any], ...] = (
    {"name": "sa-mdav"},
    {"name": "sa-mdav", "weighted": True},
    {"name": "sa-mdav", "static": True},
    {"name": "recoding"},
    {"name": "s-mdav"},
    {"name": "mdav"},
    {"name": "mdav-equality"},
    {"name": "mdav-lcs"},
    {"name": "resampling", "setting": "semantic"},
    {"name": "resampling", "setting": "equality-mode"},
    {"name": "resampling", "setting": "wup-mode"},
    {"name": "resampling", "setting": "wup-lcs"},
    {"name": "suppression"},
    {"name": "datafly"},
    {"name": "datafly", "heuristic": "classic"},
    {"name": "incognito"},
    {"name": "best-first"},
)
SUPPRESS = "5%"  # once more for the methods that gain by leaving rows out
L, T = 2, 0.3  # of the confidential column, once more for every method at K
K = 5


def main() -> int:
    """Write releases, have them judged, print what was found."""
    from peers import PeerError, _installed, cache_folder

    try:
        python = _installed("pycanon", cache_folder() / "pycanon")
    except PeerError as error:
        print(f"skipped: pycanon cannot be installed ({error})")
        return 0
    with tempfile.TemporaryDirectory(prefix="ontomask-judge-") as folder:
        asked, refused = write_releases(Path(folder))
        if not asked:
            print("skipped: no table is at hand; set ONTOMASK_DATA")
            return 0
        order = json.dumps(asked)
        result = subprocess.run(
            [python, __file__, "judge"], input=order, stdout=subprocess.PIPE, text=True, check=True
        )
    found = json.loads(result.stdout.splitlines()[-1])
    wrong = 0
    for one, theirs in zip(asked, found, strict=True):
        faults = ["k"] * (theirs["k"] < one["k"])
        if one["l_and_t"] and one["ours"]:
            faults += ["l asked for"] * (theirs["l"] < L) + ["t asked for"] * (theirs["t"] > T + 1e-6)
        faults += [name for name, ours in one["ours"].items() if not _agree(name, ours, theirs[name])]
        wrong += bool(faults)
        shown = ", ".join(f"{name} {value:g}" for name, value in theirs.items())
        verdict = f"WRONG: {', '.join(faults)}; ours {one['ours']}" if faults else "ok"
        print(f"  {one['what']:<58} asked {one['k']:>2}, found {shown}  {verdict}")
    for what in refused:
        print(f"  {what}")
    print(f"{len(asked)} releases judged, {wrong} judged otherwise than by us, {len(refused)} not released")
    return 1 if wrong else 0


def _agree(name: str, ours: float, theirs: float) -> bool:
    """Whether two figures are the same; pycanon rounds entropy l-diversity down, of 3.9999999 too."""
    if name == "entropy l":
        return theirs in (math.floor(ours - 1e-9), math.floor(ours + 1e-9))
    return abs(ours - theirs) <= 1e-6


def write_releases(folder: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """What to judge (file, quasi-identifiers, k asked for), and what was not released, with the reason."""
    import ontomask as om
    from subjects import subjects

    asked: list[dict[str, Any]] = []
    refused = []
    for subject in subjects():
        column = CONFIDENTIAL[subject.name]
        for method, k, more in _asked_for(column):
            named = [*method.values(), *more.get("privacy", {})]
            what = f"{subject.name}, {' '.join(map(str, named))}, k = {k}"
            # What the plan says of another method's options would not fit this one.
            settings = subject.plan.as_dict(only_given=True) | {"method": method}
            settings |= more | {"privacy": {"k": k} | more.get("privacy", {})}
            plan = om.Plan.from_dict(settings, folder=subject.plan.folder)
            file = folder / f"{len(asked)}.csv"
            try:
                release = om.anonymize(subject.table, plan)
                release.write(file)
            except om.OntomaskError as error:
                refused.append(f"{what}: {error}")
                continue
            header = file.read_text(encoding="utf-8-sig").partition("\n")[0]
            separator = ";" if header.count(";") > header.count(",") else ","
            l_and_t = "l" in plan.privacy.settings
            # pycanon looks at classes one by one: minutes where there are thousands
            is_compared = release.figures["classes"] <= MOST_CLASSES
            asked.append(
                {
                    "what": what,
                    "k": k,
                    "l_and_t": l_and_t,
                    "file": str(file),
                    "names": list(plan.with_role("quasi-identifier")),
                    "sep": separator,
                    "confidential": column,
                    "ours": our_figures(release, column) if is_compared else {},
                }
            )
    return asked, refused


def _asked_for(column: str) -> Iterator[tuple[dict[str, Any], int, dict[str, Any]]]:
    """A method, k, and what else the plan asks for: every method at every k, then with more."""
    from ontomask.methods import METHODS as KNOWN
    from ontomask.methods.full_domain import FullDomain

    for method, k in product(METHODS, ALL_K):
        yield method, k, {}
        if issubclass(KNOWN[method["name"]], FullDomain):
            yield method, k, {"privacy": {"suppress": SUPPRESS}}
    for name in KNOWN:
        yield {"name": name}, K, {"privacy": {"l": {column: L}, "t": {column: {"equal": T}}}}


def our_figures(release: Any, column: str) -> dict[str, float]:
    """l (distinct, entropy) and t (equal ground distance) of one column, as we see them."""
    from ontomask.assessment import figures_of

    found = figures_of(replace(release, plan=_with_confidential(release.plan, column)))
    return {
        "l": found[f"l_distinct.{column}"],
        "entropy l": found[f"l_entropy.{column}"],
        "t": found[f"t_equal.{column}"],
    }


def _with_confidential(plan: Any, column: str) -> Any:
    return plan.replace(attributes={column: {"role": "confidential"}})


def judge() -> None:
    """The other side: k, l and t of every file, by pycanon alone."""
    import pandas
    from pycanon import anonymity

    found = []
    for one in json.load(sys.stdin):
        table = pandas.read_csv(one["file"], sep=one["sep"], dtype=str, keep_default_na=False)
        names, column = one["names"], [one["confidential"]]
        figures = {"k": int(anonymity.k_anonymity(table, names))}
        if one["ours"]:
            figures["l"] = int(anonymity.l_diversity(table, names, column))
            figures["entropy l"] = int(anonymity.entropy_l_diversity(table, names, column))
            figures["t"] = float(anonymity.t_closeness(table, names, column))
        found.append(figures)
    print(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1:] == ["judge"]:
        judge()
    else:
        sys.exit(main())
