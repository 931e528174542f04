"""Bad paths: things that are no files, outputs that are inputs, and disks that are full."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from hostile.bad import GOOD, PLAN, Bad, Make, write
from hostile.bad_tables import BINARY, binary
from hostile.sources import yaml_of
from ontomask.tables.register import ENGINES


def _folder(name: str) -> Make:
    return lambda folder: ((folder / name).unlink(missing_ok=True), (folder / name).mkdir())


def _fifo(name: str) -> Make:
    return lambda folder: ((folder / name).unlink(missing_ok=True), os.mkfifo(folder / name))


def _loop(name: str) -> Make:
    return lambda folder: ((folder / name).unlink(missing_ok=True), (folder / name).symlink_to(name))


def _dangling(name: str) -> Make:
    return lambda folder: ((folder / name).unlink(missing_ok=True), (folder / name).symlink_to("nowhere"))


def _device(name: str) -> Make:
    return lambda folder: ((folder / name).unlink(missing_ok=True), (folder / name).symlink_to("/dev/null"))


def _gone(name: str) -> Make:
    return lambda folder: (folder / name).unlink()


SPOILT_PATHS = {
    "a folder": _folder,
    "a FIFO": _fifo,
    "a loop": _loop,
    "a dangling link": _dangling,
    "/dev/null": _device,
    "gone": _gone,
}


def paths() -> Iterator[Bad]:
    mapped = (*GOOD, "--mapping", "job:m.csv")
    for name, spoil in SPOILT_PATHS.items():
        for file in ("t.csv", "plan.yaml", "onto.yaml", "m.csv"):
            yield Bad(
                "path",
                f"{file} is {name}",
                spoil(file),
                mapped,
                (file.partition(".")[0], "mapping", "ontology"),
            )
    for role, arguments in {
        "table": ("anonymize", "{}", "--plan", "plan.yaml", "-o", "out.csv"),
        "plan": ("anonymize", "t.csv", "--plan", "{}", "-o", "out.csv"),
        "ontology": (*GOOD, "--qi", "job:{}"),
        "mapping": (*GOOD, "--mapping", "job:{}"),
        "report": (*GOOD, "--report", "{}"),
        "population": ("evaluate", "t.csv", "t.csv", "--plan", "plan.yaml", "--population", "{}"),
    }.items():
        for path in (
            "x" * 300 + ".csv",
            "x/" * 3000 + "y.csv",
            "~nobody9/t.csv",
            ".",
            "/etc",
            "t.csv/x.csv",
            "/proc/self/mem",
        ):
            yield Bad(
                "path", f"{role} {path[:20]}", None, tuple(part.replace("{}", path) for part in arguments)
            )
    for file in ("out.csv", "out.manifest.json", "out.internal.json", "report.html"):
        run = (*GOOD, "--report", "report.html")
        yield Bad("path", f"{file} is a folder", _folder(file), run, (file, "out"))
        yield Bad("path", f"{file} is a FIFO", _fifo(file), run, codes=(0, 2))
        yield Bad("path", f"{file} is a loop", _loop(file), run, codes=(0, 2))


OVERWRITES: dict[str, tuple[str, ...]] = {
    "the table": ("-o", "t.csv"),
    "the table by a detour": ("-o", "../{here}/./t.csv"),
    "the table by a link": ("-o", "link.csv"),
    "the table by a hard link": ("-o", "hard.csv"),
    "the mapping": ("-o", "m.csv"),
    "the ontology": ("-o", "onto.csv"),
    "the plan": ("-o", "out.csv", "--report", "plan.yaml"),
    "the report over the table": ("-o", "out.csv", "--report", "t.csv"),
    "the report over the mapping": ("-o", "out.csv", "--report", "m.csv"),
    "the report over the ontology": ("-o", "out.csv", "--report", "onto.csv"),
    "the report over the release": ("-o", "out.csv", "--report", "out.csv"),
    "the report over the release by a detour": ("-o", "out.csv", "--report", "./out.csv"),
    "the report over the manifest": ("-o", "out.csv", "--report", "out.manifest.json"),
    "the report over the internal manifest": ("-o", "out.csv", "--report", "out.internal.json"),
    "the plan by the manifest": ("-o", "p.csv"),
    "the table and a report": ("-o", "t.csv", "--report", "r.html"),
}


def overwrites() -> Iterator[Bad]:
    def prepare(folder: Path) -> None:
        (folder / "onto.csv").write_text("cat;animal;thing\ndog;animal;thing\nrose;plant;thing\n")
        (folder / "link.csv").symlink_to("t.csv")
        os.link(folder / "t.csv", folder / "hard.csv")
        (folder / "p.manifest.json").write_text(yaml_of(PLAN))

    for name, given in OVERWRITES.items():
        plan = "p.manifest.json" if name == "the plan by the manifest" else "plan.yaml"
        run = ("anonymize", "t.csv", "--plan", plan, "--qi", "job:onto.csv", "--mapping", "job:m.csv", *given)
        yield Bad("overwrite", name, lambda folder: prepare(folder), run)
    for suffix in BINARY:
        run = (
            "anonymize",
            f"t{suffix}",
            "--qi",
            "job:onto.yaml",
            "--qi",
            "age:numeric",
            "-k",
            "2",
            "-o",
            f"t{suffix}",
        )
        yield Bad(
            "overwrite", f"{suffix} over itself", write(f"t{suffix}", binary(suffix)), run, (f"t{suffix}",)
        )
        by_link = (*run[:-1], f"link{suffix}")

        def linked(folder: Path, suffix: str = suffix) -> None:
            (folder / f"t{suffix}").write_bytes(binary(suffix))
            (folder / f"link{suffix}").symlink_to(f"t{suffix}")

        yield Bad("overwrite", f"{suffix} by a link", linked, by_link, codes=(0, 2))


def full_disks() -> Iterator[Bad]:
    for suffix in (s for one in ENGINES for s in one.suffixes if s not in one.only_read):
        for most in (0, 30):
            yield Bad(
                "full disk", f"{suffix}, {most} bytes", None, (*GOOD[:-1], f"out{suffix}"), file_limit=most
            )
    for most in (0, 200, 2000):
        yield Bad("full disk", f"report, {most} bytes", None, (*GOOD, "--report", "r.html"), file_limit=most)
        yield Bad(
            "full disk",
            f"init, {most} bytes",
            None,
            ("init", "t.csv", "-o", "p.yaml"),
            codes=(0, 2),
            file_limit=most,
        )
        run = ("link", "t.csv", "--column", "job", "--ontology", "onto.yaml", "-o", "new.csv")
        yield Bad("full disk", f"link, {most} bytes", None, run, codes=(0, 2), file_limit=most)
