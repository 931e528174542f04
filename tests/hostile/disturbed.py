"""What a disturbed run may leave behind: signals at random moments, and neighbours with the same output.

A run is forked from this warm process, so most of its time is masking and writing, where it hurts.
"""

from __future__ import annotations

import contextlib
import os
import signal
import stat
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

from hostile.judge import digest, manifest_of, strict_json
from hostile.run_cases import Tally
from hostile.running import COMMAND, command_here, ended, forked_command, snapshot, workplace

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)
ROWS = 400
NAMES = "name;city;age"
_TARGETS = ("out.csv", "out.parquet", "out.xlsx", "out.duckdb")
_ROLES = ("--identifier", "name", "--qi", "age:numeric", "--others", "keep")


def people(folder: Path) -> None:
    """A table of people with names that must never be seen."""
    lines = [f"Secret{i:04};town{i % 7};{(i * 37) % 90}" for i in range(ROWS)]
    (folder / "people.csv").write_text("\n".join([NAMES, *lines]) + "\n")


def arguments(target: str, k: int, with_report: bool) -> list[str]:
    report = ["--report", "report.html"] if with_report else []
    return ["anonymize", "people.csv", *_ROLES, "-k", str(k), "-o", target, *report]


@cache
def warm() -> None:
    """Compile, and import what a run needs, so that children need not; once."""
    import duckdb  # noqa: F401
    import ibis  # noqa: F401
    import openpyxl  # noqa: F401
    import xlsxwriter  # noqa: F401

    for target in ("out.csv", "out.parquet", "out.xlsx"):
        with workplace() as folder:
            people(folder)
            done = command_here(arguments(target, 3, True))
            assert done.code == 0, done.err


# ---------------------------------------------------------------------- what may be there


def what_is_wrong(folder: Path, target: str, asked: set[int], was_killed: bool) -> Iterator[str]:
    """A target is absent or whole, and what lies beside it speaks of it."""
    release = folder / target
    manifest = manifest_of(release)
    known = {"people.csv", target, manifest.name, f"{release.stem}.internal.json", "report.html"}
    for path in folder.iterdir():
        if path.name in known:
            continue
        is_private = path.name.startswith(".") and not stat.S_IMODE(path.stat().st_mode) & 0o077
        if not (was_killed and is_private):
            yield f"left {path.name} (mode {stat.S_IMODE(path.stat().st_mode):o})"
    if (folder / "people.csv").stat().st_size == 0:
        yield "the table is gone"
    if not release.exists():
        if manifest.exists():
            yield "a manifest without its release"
        return
    try:
        sizes = class_sizes(release)
    except Exception as error:
        yield f"the release cannot be read: {error!r}"
        return
    if sum(sizes) != ROWS:
        yield f"{sum(sizes)} of {ROWS} rows"
    if min(sizes) < min(asked):
        yield f"a class of {min(sizes)}"
    if not manifest.exists():
        if not was_killed:
            yield "a release without its manifest"
        return
    said = strict_json(manifest.read_text())
    if said["output"]["sha256"] != digest(release):
        yield "the manifest is of another release"
    if said["figures"]["k_asked"] not in asked or min(sizes) < said["figures"]["k_asked"]:
        yield f"the manifest says k = {said['figures']['k_asked']}, the smallest class has {min(sizes)}"


def class_sizes(release: Path) -> list[int]:
    """The sizes of the classes of a release of `people`, which has no names."""
    from collections import Counter

    from hostile.judge import parse

    if release.suffix == ".csv":
        header, *rows = parse(release.read_text(), ";")
    elif release.suffix == ".parquet":
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(release)
        header, rows = table.column_names, [list(row.values()) for row in table.to_pylist()]
    elif release.suffix == ".xlsx":
        import openpyxl

        header, *rows = (
            list(row) for row in openpyxl.load_workbook(release).active.iter_rows(values_only=True)
        )
    else:
        header, rows = _read_duckdb(release)
    if header != ["city", "age"]:
        raise ValueError(f"columns {header}")
    return [*Counter(str(row[1]) for row in rows).values()]


def _read_duckdb(release: Path) -> tuple[list[str], list[list[object]]]:
    """In a child: a database that is open in this process would be copied into every run."""
    from hostile.running import in_child

    def read() -> tuple[list[str], list[list[object]]]:
        import duckdb

        with duckdb.connect(str(release), read_only=True) as connection:
            ((name,),) = connection.sql("SELECT table_name FROM duckdb_tables()").fetchall()
            found = connection.table(name)
            return list(found.columns), [list(row) for row in found.fetchall()]

    return in_child(read)


# ---------------------------------------------------------------------- signals


def run_signals(n: int, seed: int, installed: int = 0) -> Tally:
    """`n` runs, each sent a signal at a random moment; the last `installed` of them as users start them."""
    rng, tally, started = Random(seed), Tally("signals"), time.monotonic()
    warm()
    seconds: dict[tuple[str, bool], float] = {}
    for at in range(n):
        target, number = rng.choice(_TARGETS), rng.choice(SIGNALS)
        is_installed = at >= n - installed
        with workplace() as folder:
            place, temporary = folder / "place", folder / "tmp"
            place.mkdir()
            temporary.mkdir()
            people(place)
            with_report, is_second = rng.random() < 0.2, rng.random() < 0.5
            key = (f"{target}{with_report}", is_installed)
            env = {"TMPDIR": str(temporary)}
            run = arguments(target, 5, with_report)
            if is_second or key not in seconds:  # an older release stands there; and how long it takes
                begun = time.monotonic()
                code = ended(_start(arguments(target, 3, with_report), place, env, is_installed))
                seconds[key] = time.monotonic() - begun
                if code:
                    tally.failures.append(f"signals, seed {seed}, run {at}: the first run ended with {code}")
                if not is_second:
                    _clear(place)
            before = snapshot(place)
            child = _start(run, place, env, is_installed)
            time.sleep(
                seconds[key] * (rng.uniform(0.0, 1.1) if rng.random() < 0.4 else rng.uniform(0.5, 1.05))
            )
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)
            code = ended(child)
            tally.tried += 1
            tally.released += code == 0
            tally.refused += code != 0
            said = Path(f"{place}.err").read_text(errors="replace") if not is_installed else ""
            found = list(_after(place, temporary, target, before, number, code, said))
            if found:
                what = f"signals, seed {seed}, run {at}: {number.name} -> {target}, exit {code}"
                tally.failures.append(f"{what}: {'; '.join(found)[:300]}")
    tally.seconds = time.monotonic() - started
    return tally


def _after(
    place: Path, temporary: Path, target: str, before: dict[str, str], number: int, code: int, said: str
) -> Iterator[str]:
    was_killed = number == signal.SIGKILL
    yield from what_is_wrong(place, target, {3, 5}, was_killed)
    if snapshot(place)["people.csv"] != before["people.csv"]:
        yield "the table was changed"
    left = [path.name for path in temporary.rglob("*")]
    if left and not was_killed:
        yield f"left {left} in the temporary folder"
    if any(path.stat().st_mode & 0o077 for path in temporary.iterdir()):
        yield "what is left in the temporary folder is not private"
    if code not in (0, -number, 128 + number):
        yield f"a strange exit code ({said.strip()[-120:]})"
    if "Traceback" in said:
        yield f"traceback: {said.strip().splitlines()[-1][:120]}"
    if "Secret" in said:
        yield "a name on the screen"


def _start(run: list[str], folder: Path, env: dict[str, str], is_installed: bool) -> int:
    if not is_installed:
        return forked_command(run, folder, env)
    child = os.fork()
    if not child:
        os.chdir(folder)
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os.execve(COMMAND, [str(COMMAND), *run], {**os.environ, **env})
    return child


def _clear(place: Path) -> None:
    for path in place.iterdir():
        if path.name != "people.csv":
            path.unlink()


# ---------------------------------------------------------------------- neighbours


def run_neighbours(n: int, seed: int) -> Tally:
    """`n` times two to four runs at once, all with one output: the last word is whole and true."""
    rng, tally, started = Random(seed), Tally("concurrent runs"), time.monotonic()
    warm()
    for at in range(n):
        target = rng.choice(_TARGETS)
        asked = [rng.choice([2, 3, 5, 20, 50]) for _ in range(rng.randint(2, 4))]
        with workplace() as folder:
            people(folder)
            children = []
            for number, k in enumerate(asked):
                time.sleep(rng.random() * 0.03)
                (folder.parent / f"{folder.name}-{number}").mkdir()
                child = _in_folder_of_its_own(folder, number, arguments(target, k, False))
                children.append(child)
            codes = [ended(child) for child in children]
            found = list(what_is_wrong(folder, target, set(asked), False))
            if 0 not in codes:
                found.append("nobody came through")
            found += [f"exit code {code}" for code in codes if code not in (0, 2)]
            for number in range(len(asked)):
                _remove(folder.parent / f"{folder.name}-{number}")
            tally.tried += 1
            tally.released += codes.count(0) > 0
            if found:
                said = f"neighbours, seed {seed}, run {at}: k {asked} -> {target}, exit codes {codes}"
                tally.failures.append(f"{said}: {'; '.join(found)[:300]}")
    tally.seconds = time.monotonic() - started
    return tally


def _in_folder_of_its_own(folder: Path, number: int, run: list[str]) -> int:
    """A run that is started elsewhere and names the same files: it has its own screen."""
    run = [str(folder / part) if part == "people.csv" or part.startswith("out.") else part for part in run]
    return forked_command(run, folder.parent / f"{folder.name}-{number}")


def _remove(place: Path) -> None:
    for path in (Path(f"{place}.out"), Path(f"{place}.err")):
        path.unlink(missing_ok=True)
    place.rmdir()
