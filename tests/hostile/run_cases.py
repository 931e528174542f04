"""Generated cases through the product, thousands in a minute: each released and judged, or refused."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hostile.cases import Case, case
from hostile.judge import Finding, holds, judge
from hostile.running import Hang, changed, command_here, installed_command, limited, snapshot, workplace
from hostile.sources import put


@dataclass
class Tally:
    """What became of the cases of a part."""

    part: str
    tried: int = 0
    released: int = 0
    refused: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: Tally) -> None:
        self.tried += other.tried
        self.released += other.released
        self.refused += other.refused
        self.failures += other.failures
        self.seconds = max(self.seconds, other.seconds)


def run_case(seed: int, way: str | None = None) -> tuple[bool, list[Finding]]:
    """One case: whether it was released, and what is wrong."""
    one = case(seed)
    if way is not None and one.way == "command":
        object.__setattr__(one, "way", way)
    with workplace() as folder:
        inputs = folder / "in"
        inputs.mkdir()
        (folder / "out").mkdir()
        source = put(one, inputs)
        before = snapshot(inputs)
        release = folder / "out" / f"masked{one.target}"
        try:
            with limited():
                was_released, findings = _run(one, inputs, source, release)
        except Hang as hang:
            return False, [("hang", str(hang))]
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(where.filename).name}:{where.lineno}"
            was_released, findings = (
                False,
                [("traceback", f"{type(error).__name__}: {str(error)[:160]} ({place})")],
            )
        if changed(before, snapshot(inputs)):
            findings.append(("input changed", str(changed(before, snapshot(inputs)))))
        if was_released:
            findings += judge(one, folder, source, release)
        else:
            findings += [("partial file", path.name) for path in release.parent.iterdir()]
        expected = {release.name, "masked.manifest.json", "masked.internal.json", "masked.html"}
        findings += [
            ("partial file", path.name) for path in release.parent.iterdir() if path.name not in expected
        ]
    return was_released, findings


def _run(one: Case, inputs: Path, source: Any, release: Path) -> tuple[bool, list[Finding]]:
    if one.way == "api":
        return _by_api(one, inputs, source, release), []
    arguments = ["anonymize", str(source), "--plan", str(inputs / "plan.yaml"), "-o", str(release)]
    if one.with_report:
        arguments += ["--report", str(release.with_suffix(".html"))]
    if one.seed % 2:
        arguments += ["--json"]
    done = command_here(arguments) if one.way == "command" else installed_command(arguments, inputs)
    findings: list[Finding] = []
    if done.is_traceback:
        findings.append(("traceback", " | ".join(done.err.strip().splitlines()[-3:])[-300:]))
    elif done.code not in (0, 2):
        findings.append(("exit code", f"{done.code}: {done.err[-200:]}"))
    elif done.code == 2 and len(done.err.strip()) < 10:
        findings.append(("silent refusal", done.err))
    if holds((done.out + done.err).encode(), one.token):
        findings.append(("identifier", "on the screen"))
    return done.code == 0, findings


def _by_api(one: Case, inputs: Path, source: Any, release: Path) -> bool:
    import ontomask as om

    try:
        plan = om.Plan.from_dict(one.plan, folder=inputs)
        om.anonymize(source, plan).write(release)
    except om.OntomaskError as error:
        assert str(error)
        return False
    return True


def run_cases(seeds: Iterable[int], way: str | None = None) -> Tally:
    """Some of the cases, those of the command another way if one is given."""
    tally, started = Tally("cases" if way is None else f"cases, {way}"), time.monotonic()
    for seed in seeds:
        was_released, findings = run_case(seed, way)
        tally.tried += 1
        tally.released += was_released
        tally.refused += not was_released and not findings
        if findings:
            said = "; ".join(f"{rule}: {text}" for rule, text in findings[:3])
            tally.failures.append(f"{case(seed)}: {said}")
    tally.seconds = time.monotonic() - started
    return tally
