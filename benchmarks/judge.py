"""An independent judge: pycanon counts the k of releases that the installed command's pipeline wrote.

`make judge`. pycanon lives in an environment of its own in the user's cache folder, made on first use, since
it needs older libraries; where it cannot be installed the run says so and is skipped. This file runs on both
sides: here it writes releases; inside pycanon's environment, where nothing of ours is installed, it judges.
A release with a smaller k than asked makes the exit status 1.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ALL_K = (2, 5, 10)
METHODS: tuple[dict[str, Any], ...] = (
    {"name": "sa-mdav"},
    {"name": "sa-mdav", "weighted": False},
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
)


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
    for one, k in zip(asked, found, strict=True):
        wrong += k < one["k"]
        print(f"  {one['what']:<58} asked {one['k']:>2}, found {k:>4}  {'ok' if k >= one['k'] else 'WRONG'}")
    for what in refused:
        print(f"  {what}")
    print(f"{len(asked)} releases judged, {wrong} with a smaller k than asked, {len(refused)} not released")
    return 1 if wrong else 0


def write_releases(folder: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """What to judge (file, quasi-identifiers, k asked for), and what was not released, with the reason."""
    import ontomask as om
    from subjects import subjects

    asked: list[dict[str, Any]] = []
    refused = []
    for subject in subjects():
        for method in METHODS:
            for k in ALL_K:
                what = f"{subject.name}, {' '.join(str(v) for v in method.values())}, k = {k}"
                # What the plan says of another method's options would not fit this one.
                settings = subject.plan.model_dump(exclude_unset=True) | {"method": method}
                plan = om.Plan.from_dict(settings, folder=subject.plan.folder).replace(privacy={"k": k})
                file = folder / f"{len(asked)}.csv"
                try:
                    release = om.anonymize(subject.table, plan)
                    release.write(file)
                except om.OntomaskError as error:
                    refused.append(f"{what}: {error}")
                    continue
                header = file.read_text(encoding="utf-8-sig").partition("\n")[0]
                separator = ";" if header.count(";") > header.count(",") else ","
                names = list(plan.with_role("quasi-identifier"))
                asked.append({"what": what, "k": k, "file": str(file), "names": names, "sep": separator})
    return asked, refused


def judge() -> None:
    """The other side: k of every file, by pycanon alone."""
    import pandas
    from pycanon import anonymity

    found = []
    for one in json.load(sys.stdin):
        table = pandas.read_csv(one["file"], sep=one["sep"], dtype=str, keep_default_na=False)
        found.append(int(anonymity.k_anonymity(table, one["names"])))
    print(json.dumps(found))


if __name__ == "__main__":
    if sys.argv[1:] == ["judge"]:
        judge()
    else:
        sys.exit(main())
