"""Everything the documentation shows is run here, page by page, each page in an empty folder of its own.

- A fence under ``<!-- file: NAME -->`` is written to that file.
- ``python`` fences share the names of their page; those with ``>>>`` are compared with what they print.
- ``console`` fences run line by line after ``$``; the text below a command, if any, is what it prints.
- A fence under ``<!-- module: NAME -->`` is a file of the source to be; `test_extend.py` runs it.
- ``sh`` fences are for what changes the reader's machine (make, pip) and are not run.

``...`` stands for any text, and white space counts once.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from engines import PostgresServer
from ontomask import anonymize, cli, datasets, evaluate
from ontomask.evaluation import FAMILIES
from ontomask.methods import METHODS
from ontomask.options import options_of
from ontomask.plan import AttributePlan, HierarchyPlan, MethodPlan, Plan, TableSettings
from ontomask.plan.settings import dotted_keys
from ontomask.privacy import REQUIREMENTS
from pages import ANY_FENCE, PAGES, ROOT, Fence, fences

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NOT_RUN = ("make", "pip", "git", "python3", "cd", "export")
TOLD_ONCE = ("compiling: the first run on a machine takes some seconds longer\n",)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder and cache, and a terminal that is wide enough."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ONTOMASK_CACHE", str(tmp_path / ".cache"))
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


OF_ENGINES = ROOT / "docs/how-to/engines.md"


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page != OF_ENGINES], ids=lambda page: str(page.relative_to(ROOT))
)
def test_page(page: Path, in_folder: Path) -> None:
    run_page(page, in_folder)


def test_page_of_postgres_and_spark(
    postgres: PostgresServer, spark: Any, in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server and the user that the URLs of the page leave out are those of the environment."""
    monkeypatch.setenv("PGHOST", str(postgres.folder))
    monkeypatch.setenv("PGPORT", str(postgres.port))
    monkeypatch.setenv("PGUSER", "postgres")
    postgres.do("DROP DATABASE IF EXISTS clinic", "CREATE DATABASE clinic")
    run_page(OF_ENGINES, in_folder)


def run_page(page: Path, in_folder: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for fence in fences(page):
        where = f"{page.name}, line {fence.line}"
        if fence.file:
            (in_folder / fence.file).write_text(fence.text, encoding="utf-8")
        elif fence.language == "python" and not fence.module:
            run_python(fence, names, where)
        elif fence.language == "console":
            for command, expected in commands(fence.text):
                run_command(command, expected, where)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_shown_but_not_run(page: Path) -> None:
    """Only what a test must not do is left unrun."""
    for fence in fences(page):
        for line in fence.text.splitlines() if fence.language == "sh" else ():
            assert Path(line.split()[0]).name in NOT_RUN, (
                f"{page.name}, line {fence.line}: use a console fence"
            )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    content = ANY_FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(content):
        assert target.startswith("https://") or (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("part", [Plan, TableSettings, AttributePlan, MethodPlan, *METHODS.values()])
def test_every_key_of_the_plan_is_described(part: Any) -> None:
    content = (ROOT / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `(\w+)` \|", content, re.MULTILINE))
    assert set(options_of(part)) <= described


@pytest.mark.parametrize("key", REQUIREMENTS)
def test_every_form_of_a_requirement_is_one(key: str) -> None:
    """The YAML of the reference can be put into a plan, and asks for what stands there."""
    assert REQUIREMENTS[key].forms and REQUIREMENTS[key].attack
    for form in REQUIREMENTS[key].forms:
        plan = Plan.from_yaml(f"privacy: {{{form}}}")
        assert [one.key for one in plan.requirements()] == [key]
        content = (ROOT / "docs" / "explanation" / "requirements.md").read_text(encoding="utf-8")
        assert f"`{form.partition(':')[0]}" in content, f"{form} is not explained"


def test_figures_are_described_one_and_all(tmp_path: Path) -> None:
    """What `om.evaluate` returns is on the page, no more is, and all of it is declared."""
    patients, plan = datasets.path("patients.csv"), Plan.load(datasets.path("patients.yaml"))
    anonymize(patients, plan).write(tmp_path / "release.csv")
    returned = set(
        evaluate(
            patients,
            tmp_path / "release.csv",
            plan,
            known_values=2,
            population=patients,
            sampling_fraction=0.1,
            suda=2,
            other=tmp_path / "release.csv",
            bound=True,
            clusters=True,
            target="treatment",
        )
    )
    numbers = pa.table({"a": [1, 2, 3, 4], "b": [2, 1, 4, 3], "c": ["ache", "cold", "cold", "ache"]})
    few = Plan.from_options(["a:numeric", "b:numeric"], k=2)
    for kind in ({"ontology": "wordnet"}, {"kind": "ordinal", "order": ["ache", "cold"]}):
        judged = few.replace(attributes={"c": {"role": "confidential"} | kind})
        returned |= set(evaluate(numbers, numbers, judged.replace(release="truthful"), bound=True))
        returned |= set(evaluate(numbers, numbers, judged.replace(privacy={"l": {"c": 1}})))
    columns = ["A", "B"]
    general = {
        ".".join([stem, *columns[: len(rest)]]) for stem, *rest in (one.split(".") for one in returned)
    }
    assert general == {figure.name for family in FAMILIES for figure in family.figures}
    content = (ROOT / "docs" / "reference" / "figures.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`[^|]+) \|", content.partition("## Elsewhere")[0], re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)} == general


def test_every_page_is_in_the_index() -> None:
    docs = ROOT / "docs"
    linked = {(docs / target).resolve() for target in LINK.findall((docs / "README.md").read_text("utf-8"))}
    pages = {page for page in docs.rglob("*.md") if page.parent.name != "studies"} - {docs / "README.md"}
    assert {str(page.relative_to(docs)) for page in pages - linked} == set()


def test_no_key_is_described_that_the_plan_lacks() -> None:
    content = (ROOT / "docs" / "reference" / "plan.md").read_text(encoding="utf-8")
    known = set(REQUIREMENTS) | {key.rpartition(".")[2] for key in dotted_keys()}
    known |= {
        "attributes",
        "table",
        "privacy",
        "method",
        "sign_off",
        *options_of(AttributePlan),
        *options_of(HierarchyPlan),
    }
    assert set(re.findall(r"^\| `(\w+)` \|", content, re.MULTILINE)) <= known


def test_every_dependency_is_accounted_for() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    content = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    for requirement in (one for group in groups for one in group):
        name = re.match(r"[\w-]+", requirement)
        assert name and f"| `{name[0]}" in content, f"{requirement} is not in docs/dependencies.md"


def test_every_measure_and_method_is_explained() -> None:
    from ontomask.measures import MEASURES

    measures = (ROOT / "docs" / "explanation" / "measures.md").read_text(encoding="utf-8")
    methods = (ROOT / "docs" / "explanation" / "methods.md").read_text(encoding="utf-8")
    assert [name for name in MEASURES if f"`{name}`" not in measures] == []
    assert [name for name in METHODS if f"`{name}`" not in methods] == []
    assert [name for name, kind in MEASURES.items() if not kind.words] == []


# ---------------------------------------------------------------------- running what is shown


def run_python(fence: Fence, names: dict[str, Any], where: str) -> None:
    if ">>>" not in fence.text:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(fence.text, where, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(fence.text, names, where, where, fence.line)
    told = io.StringIO()
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=told.write, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, told.getvalue()


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Every command of a console fence (a `\\` at the end carries on) and what it is said to print."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.replace("\\\n", " ").partition("\n")
        yield command, expected


def run_command(command: str, expected: str, where: str) -> None:
    program, *arguments = shlex.split(command)
    if program == "ontomask":
        code, said = run_ontomask(arguments)
    elif program in ("cat", "head"):
        code, said = 0, read_lines(program, arguments)
    else:
        raise AssertionError(f"{where}: {program!r} is not run in the documentation's tests")
    shows_error = any(line.startswith(("ontomask: ", "Usage:")) for line in expected.splitlines())
    assert (code != 0) == shows_error, f"{where}: `{command}` exits {code}:\n{said}"
    if expected.strip():
        matches = doctest.OutputChecker().check_output(expected.strip() + "\n", said.strip() + "\n", FLAGS)
        assert matches, f"{where}: `{command}` prints\n{said}\nnot\n{expected}"


def run_ontomask(arguments: list[str]) -> tuple[int, str]:
    """Exit code and what a terminal shows in the end, errors last."""
    said, complained = io.StringIO(), io.StringIO()
    as_shown = [] if arguments == ["--version"] else ["--quiet", "--show-values"]
    code: Any = 0
    before, sys.argv = sys.argv, ["ontomask", *arguments, *as_shown]
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            cli.main()
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        sys.argv = before
    remarks = [line for line in complained.getvalue().splitlines(keepends=True) if line not in TOLD_ONCE]
    return int(code), said.getvalue() + "".join(remarks)


def read_lines(program: str, arguments: list[str]) -> str:
    """`cat FILE` and `head -N FILE`."""
    lines = Path(arguments[-1]).read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(lines[: int(arguments[0][1:])] if program == "head" else lines)
