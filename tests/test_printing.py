"""What leaves on standard output and standard error: nothing steers a terminal, no cell is told to a log,
nothing is lost in silence, and no fault shows a traceback."""

from __future__ import annotations

import ast
import json
import math
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from hostile.running import ended, forked_command
from ontomask import errors
from ontomask.cli import main
from ontomask.cli.printing import print_json
from ontomask.cli.waiting import in_lines
from ontomask.errors import HIDDEN, Fault, LinkingError, OntomaskError, PlanError, TableError
from ontomask.methods.sa_mdav import SaMdav
from ontomask.printable import many_lines, one_line, safe_json
from ontomask.progress import Progress
from pages import ROOT

Said = Callable[..., "Told"]
SOURCE = ROOT / "src" / "ontomask"
COMMAND = Path(sys.executable).with_name("ontomask")
PEOPLE = "name,hobby,age\nAnn,fishing,30\nBob,angling,31\nCy,chess,40\nDi,chess,41\n"
ANONYMIZE = ("anonymize", "people.csv", "--identifier", "name", "--qi", "hobby:wordnet", "--qi",
             "age:numeric", "-k", "2", "-o", "r.csv")  # fmt: skip
STEERING = "\x1b]8;;http://x\x07\x9b2J\r\u202e\u2066\u2028\x7f\b[red]"
UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]")

pytestmark = pytest.mark.skipif(not COMMAND.exists(), reason="the command is not beside this Python")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


class Told(NamedTuple):
    """What a command said, and how it ended."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def said(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Said:
    """Run a command in this process, its streams being no terminal."""
    monkeypatch.chdir(folder)

    def run(*arguments: str) -> Told:
        monkeypatch.setattr(sys, "argv", ["ontomask", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        assert isinstance(stop.value.code, int)
        return Told(stop.value.code, *capsys.readouterr())

    return run


def piped(folder: Path, *arguments: str | bytes, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        env=os.environ | environment,
    )


def forked(folder: Path, *arguments: str | bytes) -> Told:
    """As `piped`, in a child of this process, which need not start from nothing."""
    code = ended(forked_command([os.fsdecode(one) for one in arguments], folder))
    return Told(code, *(Path(f"{folder}.{name}").read_text(encoding="utf-8") for name in ("out", "err")))


def on_a_terminal(folder: Path, *arguments: str) -> tuple[int, str]:
    """Exit code, and what a person sees on both streams."""
    ours, theirs = pty.openpty()
    started = forked_command(arguments, folder, terminal=theirs)
    os.close(theirs)
    seen = b""
    try:
        while more := os.read(ours, 65536):
            seen += more
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return ended(started), seen.decode("utf-8")


def shell(folder: Path, line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line.replace('ontomask', str(COMMAND), 1)}"],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )


# ---------------------------------------------------------------------- escapes


@pytest.mark.parametrize("text", [STEERING, "\udcff", "\x00", "a\x85b", "\u2029", "\u200e"])
def test_nothing_that_steers_is_left(text: str) -> None:
    for shown in (one_line(text), many_lines(text), safe_json(json.dumps(text, ensure_ascii=False))):
        assert not UNSAFE.search(shown) and shown.isascii()
    assert one_line("two\nlines") == r"two\nlines" and many_lines("two\nlines") == "two\nlines"
    assert json.loads(safe_json(json.dumps(text, ensure_ascii=False))) == text


def test_words_of_all_languages_stay() -> None:
    text = "Müller, 山田, עברית, ক্ষ, 👩‍🔬, “”"
    assert one_line(text) == many_lines(text) == safe_json(text) == text


def test_names_and_values_of_a_table_do_not_steer_the_terminal(folder: Path, said: Said) -> None:
    (folder / "people.csv").write_text(
        f'"{STEERING}",hobby\n' + "".join(f'"{STEERING}{i}","{STEERING}"\n' for i in range(3)),
        encoding="utf-8",
        newline="",
    )
    for arguments in (
        ("anonymize", "people.csv", "--qi", "hobby:wordnet", "--others", "keep", "-k", "2", "-o", "r.csv"),
        ("anonymize", "people.csv", "--qi", f"{STEERING}:numeric", "--others", "keep", "-o", "r.csv"),
        ("anonymize", "people.csv", "--qi", "hobby", "--set", "unmapped=root", "--others", "keep", "-k", "2",
         "-o", "r.csv", "--report", "r.html"),
        ("link", "people.csv", "--column", "hobby"),
        ("link", "people.csv", "--column", "hobby", "--json"),
        ("init", "people.csv"),
        ("init", "people.csv", "--set", STEERING),
        ("anonymize", STEERING, "--qi", STEERING, "-k", STEERING, "-o", STEERING),
        ("ontology", "senses", "wordnet", STEERING),
        ("ontology", "info", f"{STEERING}.obo"),
        (STEERING,),
    ):  # fmt: skip
        done = said(*arguments, *(["--show-values"] if len(arguments) > 1 else []))
        told = done.stdout + done.stderr
        assert told and not UNSAFE.search(told), (arguments, UNSAFE.search(told))
    assert not UNSAFE.search((folder / "r.html").read_text(encoding="utf-8"))


def test_a_persons_terminal_is_not_steered_either(folder: Path) -> None:
    (folder / "people.csv").write_text(f'"{STEERING}",hobby\n1,"{STEERING}"\n', encoding="utf-8", newline="")
    for arguments in (
        ("anonymize", "people.csv", "--qi", "hobby:wordnet", "--others", "keep", "-k", "1", "-o", "r.csv"),
        ("anonymize", "people.csv", "--qi", "hobby", "--set", "unmapped=root", "--others", "keep", "-k", "1",
         "-o", "r.csv"),
        ("link", "people.csv", "--column", "hobby"),
    ):  # fmt: skip
        _, seen = on_a_terminal(folder, *arguments)
        for steering in ("\x1b]8", "\x9b", "\x07", "\u202e", "\u2066", "\x7f", "\b", "\u2028"):
            assert steering not in seen, (arguments, steering)
        assert "[red]" in seen  # text, not markup


def test_labels_of_an_ontology_do_not_steer_the_terminal(folder: Path, said: Said) -> None:
    labels = {"id": "r", "label": "root", "children": [{"id": "a", "label": f"a{STEERING}\nb"}]}
    (folder / "tree.yaml").write_text(json.dumps(labels))
    for arguments in (("senses", "tree.yaml", "a"), ("path", "tree.yaml", "a"), ("info", "tree.yaml")):
        for form in ((), ("--json",)):
            done = said("ontology", *arguments, *form)
            assert not UNSAFE.search(done.stdout + done.stderr)


def test_no_line_can_be_forged(said: Said) -> None:
    done = said("init", "x\nontomask: all is well.csv")
    assert done.stderr.splitlines()[-1] == r"ontomask: x\nontomask: all is well.csv: there is no such file"


def test_a_phase_is_no_markup(folder: Path) -> None:
    (folder / "plan.yaml").write_text(
        "attributes: {hobby: {role: quasi-identifier}}\nothers: drop\nprivacy: {k: 2}\n"
    )
    said = on_a_terminal(
        folder, "compare", "people.csv", "--plan", "plan.yaml", "--methods", "[/x]", "-o", "o"
    )
    assert said[0] == 2 and "must be" in said[1]  # and no MarkupError


def test_file_names_that_are_not_utf8(folder: Path) -> None:
    table, release, report = b"p\xff.csv", b"r\xff.csv", b"r\xff.html"
    Path(os.fsdecode(os.fsencode(folder) + b"/" + table)).write_text(PEOPLE)
    asked = ("--identifier", "name", "--qi", "hobby", "--qi", "age:numeric", "-k", "2")
    for form in ((), ("--json",)):
        done = forked(folder, "anonymize", table, *asked, "-o", release, "--report", report, *form)
        assert done.returncode == 0, done.stderr
        assert not UNSAFE.search(done.stdout + done.stderr)
    assert json.loads(done.stdout)["release"] == "r\udcff.csv"
    assert Path(os.fsdecode(os.fsencode(folder) + b"/" + report)).read_text(encoding="utf-8")
    assert piped(folder, "init", table).returncode == 0


def test_a_narrow_terminal_gets_escapes_and_json_stays_json(folder: Path) -> None:
    (folder / "people.csv").write_text("hobby\nzoé\n", encoding="utf-8")
    (folder / "few.yaml").write_text("hobby: [chess]\n")
    narrow = {"PYTHONIOENCODING": "ascii"}
    asked = ("link", "people.csv", "-c", "hobby", "--ontology", "few.yaml")
    assert r"zo\xe9" in piped(folder, *asked, **narrow).stdout
    done = piped(folder, *asked, "--json", **narrow)
    assert list(json.loads(done.stdout)["links"]) == ["zoé"]


def test_json_has_no_number_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"a": math.inf, "b": [math.nan, 1.5], "c": ({"d": -math.inf},)})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [None, 1.5], "c": [{"d": None}]}


def test_text_leaves_in_one_place() -> None:
    """Only `printing.py` writes; typer prints help, and rich draws the bar."""
    found = {
        f"{path.name}: {ast.unparse(node)[:60]}"
        for path in (SOURCE / "cli").glob("*.py")
        if path.name != "printing.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and re.fullmatch(r"print|(typer\.)?s?echo|sys\.std(out|err)\.write|Console", ast.unparse(node.func))
    }
    assert found == {"waiting.py: Console(stderr=True)"}


# ---------------------------------------------------------------------- values of the table


def test_cells_are_quoted_to_a_person_only(folder: Path, said: Said) -> None:
    arguments = (*ANONYMIZE[:5], "hobby:numeric", *ANONYMIZE[6:])
    log = said(*arguments)
    assert log.returncode == 2
    assert f"column 'hobby': {HIDDEN} is not a number; correct it" in log.stderr
    assert "(values of the table are shown with --show-values)" in log.stderr
    assert "'angling' is not a number" in said(*arguments, "--show-values").stderr
    assert "'angling' is not a number" in on_a_terminal(folder, *arguments)[1]


def test_cells_are_not_in_json_either(said: Said) -> None:
    arguments = (*ANONYMIZE[:5], "hobby:numeric", *ANONYMIZE[6:], "--json")
    done = said(*arguments)
    (fault,) = json.loads(done.stderr)["error"]["faults"]
    assert (fault["column"], fault["value"], fault["text"]) == ("hobby", None, f"{HIDDEN} is not a number")
    shown = json.loads(said(*arguments, "--show-values").stderr)["error"]["faults"]
    assert (shown[0]["value"], shown[0]["text"]) == ("angling", "'angling' is not a number")


SECRET = "Zebedee Quux"
QUOTING = {
    "not a number": (f"a\n1\n{SECRET}\n", ["--qi", "a:numeric"]),
    "not in order": (f"a\nlow\n{SECRET}\n", ["--qi", "a:ordinal=low<high"]),
    "no concept": (f"a\nchess\n{SECRET}\n", ["--qi", "a:wordnet"]),
    "mapped twice": (f"a\n{SECRET}\n", ["--qi", "a:wordnet", "--mapping", "a:twice.csv"]),
    "mapped to nothing": (f"a\n{SECRET}\n", ["--qi", "a:wordnet", "--mapping", "a:wrong.csv"]),
    "mapped elsewhere": (
        f"a\n{SECRET}\n",
        ["--qi", "a:wordnet", "--mapping", "a:chess.csv", "--under", "a:animal"],
    ),
    "read by DuckDB": (f'a,b\n1,2\n"{SECRET},2\n', ["--qi", "a", "--set", "table.engine=duckdb"]),
    "a line too long": (f"a,b\n1,2\n{SECRET},2,3\n", ["--qi", "a"]),
}


@pytest.mark.parametrize("case", QUOTING)
def test_no_error_tells_a_cell_to_a_log(folder: Path, said: Said, case: str) -> None:
    content, options = QUOTING[case]
    (folder / "people.csv").write_text(content)
    for name, concepts in {"twice": ("chess", "go"), "wrong": ("qqq.n.01",), "chess": ("chess",)}.items():
        rows = "".join(f"{SECRET},{concept}\n" for concept in concepts)
        (folder / f"{name}.csv").write_text(f"value,concept\n{rows}")
    arguments = ("anonymize", "people.csv", *options, "-k", "2", "-o", "r.csv")
    for form in ((), ("--json",)):
        done = said(*arguments, *form)
        assert done.returncode == 2, done.stderr
        for part in SECRET.split():
            assert part not in done.stdout + done.stderr


def test_what_was_typed_is_quoted_to_everybody(said: Said) -> None:
    typed = {
        "'latin-99' is not an encoding": ["--set", "table.encoding=latin-99"],
        "not 'spork'": ["--set", "table.engine=spork"],
        "not 'magic'": ["--method", "magic"],
    }
    for text, options in typed.items():
        done = said(*ANONYMIZE, *options)
        assert text in done.stderr and "--show-values" not in done.stderr
    assert "has no column 'hobbi'" in said("link", "people.csv", "-c", "hobbi").stderr


def test_a_fault_without_its_values() -> None:
    fault = Fault("'4o' is no number", column="age", value="4o", remedy="is '4o' 40?", details=("4o, 5o",))
    hidden = fault.without_values()
    assert str(hidden) == f"column 'age': {HIDDEN} is no number; is {HIDDEN} 40?"
    assert (hidden.value, hidden.details) == (None, ())
    assert str(fault) == "column 'age': '4o' is no number:\n  4o, 5o\nis '4o' 40?"
    typed = Fault("no encoding 'x'", value="x", is_public=True)
    assert typed.without_values() == typed
    assert Fault("not readable", details=("near 'Ann'",)).without_values() == Fault("not readable")
    assert str(PlanError("must be 1, not 'x'", value="x").without_values()) == "must be 1, not 'x'"
    error = LinkingError(fault, typed).without_values()
    assert isinstance(error, LinkingError) and error.faults == (hidden, typed)


def raised() -> Iterator[tuple[str, ast.Call, dict[str, ast.expr]]]:
    """Every error and fault that is made in the sources with a value."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and re.fullmatch(r"\w*(Error|Fault)", ast.unparse(node.func)):
                fields = {word.arg: word.value for word in node.keywords if word.arg}
                if node.args and "value" in fields and path.name != "faults.py":  # whose faults are a plan's
                    yield f"{path.relative_to(SOURCE)}:{node.lineno}", node, fields


def test_a_text_names_its_value_as_it_can_be_hidden() -> None:
    """`without_values` finds `repr(value)`; a text that says it in another way would tell it."""
    found, wrong = 0, []
    for place, call, fields in raised():
        kind = getattr(errors, ast.unparse(call.func), None)
        if "is_public" in fields or (kind is not Fault and not getattr(kind, "quotes_cells", True)):
            continue
        value = ast.unparse(fields["value"])
        for text in (call.args[0], fields.get("remedy", call.args[0])):
            if not isinstance(text, (ast.Constant, ast.JoinedStr)):
                wrong.append(place)
            for part in ast.walk(text):
                is_field = isinstance(part, ast.FormattedValue)
                if is_field and value in [ast.unparse(one) for one in ast.walk(part)]:
                    found += 1
                    is_plain = ast.unparse(part.value) == value and part.conversion == ord("r")
                    wrong += [] if is_plain else [place]
    assert wrong == [] and found > 5


def test_what_libraries_say_of_a_table_can_be_hidden() -> None:
    """It may quote cells, so it belongs into `details` (`said_by`), not into the text."""
    said = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in (SOURCE / "tables").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("TableError", "OSError") and node.args
        for part in ast.walk(node.args[0])
        if isinstance(part, ast.FormattedValue) and ast.unparse(part.value) in ("error", "str(error)")
    ]
    assert said == []


@pytest.mark.parametrize(
    "line",
    [
        "Jane Doe of 12 Elm Street in Springfield, who was born in a small village by the sea,1",
        "1,1e300",
    ],
)
def test_a_long_cell_is_hidden_too(folder: Path, said: Said, line: str) -> None:
    (folder / "t.csv").write_text(f"age,pay\n1,2\n{line}\n".replace(", who", " who"))
    log = said("anonymize", "t.csv", "--qi", "age:numeric", "--qi", "pay:numeric", "-k", "2", "-o", "r.csv")
    assert log.returncode == 2 and HIDDEN in log.stderr
    assert "Jane" not in log.stderr and "e300" not in log.stderr


# ---------------------------------------------------------------------- warnings


def test_the_terminal_tells_what_the_report_tells(folder: Path, said: Said) -> None:
    rows = "".join(f"{'chess' if i < 15 else 'golf'},{'flu' if i < 15 else 'ok'},{i}x\n" for i in range(30))
    (folder / "people.csv").write_text(f"hobby,ill,bed\n{rows}tennis,ok,zz\n")
    asked = ("anonymize", "people.csv", "--qi", "hobby:wordnet", "--confidential", "ill", "--others", "keep",
             "-k", "3", "--method", "suppression", "-o", "r.csv")  # fmt: skip
    alone = said(*asked).stderr
    told = [line for line in alone.splitlines() if re.match("WARNING|warning|note", line)]
    wanted = ["WARNING: Column “bed”", "warning: 1 person was left out", "warning: Column “ill”",
              "warning: Column “ill” is confidential",
              "note: left as they are", "note: the rows are in the order of the original"]  # fmt: skip
    assert [line.startswith(start) for line, start in zip(told, wanted, strict=True)] == [True] * 6
    both = said(*asked, "--report", "r.html", "--json")
    page = (folder / "r.html").read_text(encoding="utf-8")
    found = json.loads(both.stdout)
    assert [
        f"{'WARNING' if one['is_serious'] else 'warning'}: {one['text']}" for one in found["warnings"]
    ] + [f"note: {note}" for note in found["notes"]] == told
    for line in told:
        text = line.partition(": ")[2].replace("'", "&#39;")
        assert text in page or f"{text[0].upper()}{text[1:]}." in page, "a note is a sentence there"


def test_a_database_promises_no_order(folder: Path, said: Said) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(folder / "p.duckdb")) as connection:
        connection.sql(f"CREATE TABLE p AS SELECT * FROM read_csv('{folder / 'people.csv'}')")
    done = said("anonymize", "p.duckdb", *ANONYMIZE[2:])
    assert done.returncode == 0 and "order of the original" not in done.stderr


# ---------------------------------------------------------------------- progress


def test_a_log_gets_a_line_for_each_phase(said: Said) -> None:
    def progress(*arguments: str) -> list[str]:
        lines = said(*ANONYMIZE, *arguments).stderr.splitlines()
        return [line for line in lines if line.startswith("ontomask: ") and "compiling" not in line]

    phases = ["reading", "linking", "masking", "verifying", "writing"]
    assert [line for line in progress() if "%" not in line] == [f"ontomask: {phase}" for phase in phases]
    assert progress("--quiet") == progress("--json") == []


def test_a_long_phase_is_told_again_now_and_then() -> None:
    told: list[str] = []
    show = in_lines(told.append, clock=iter([0.0, 4.9, 5.0, 9.9, 10.1, 10.2]).__next__)
    for fraction in (0.0, 0.1, 0.25, 0.5, 0.75):
        show(Progress("masking", fraction))
    show(Progress("writing", 0.9))
    assert told == ["masking", "masking, 25 % of all done", "masking, 75 % of all done", "writing"]


def test_a_terminal_gets_a_bar_instead(folder: Path) -> None:
    code, seen = on_a_terminal(folder, *ANONYMIZE)
    assert code == 0 and "masking" in seen and "ontomask: masking" not in seen


# ---------------------------------------------------------------------- streams that take no more


@pytest.mark.parametrize(
    ("line", "codes", "told"),
    [
        ("{} > /dev/full", {74}, "cannot print: No space left on device"),
        ("{} >&-", {74}, "cannot print: Bad file descriptor"),
        ("{} 2>&-", {74}, ""),
        ("{} 2>/dev/full", {74}, ""),
        ("{} >&- 2>&-", {74}, ""),
        ("{} <&- >&- 2>&-", {74}, ""),
        ("{} | :", {141}, ""),
        ("{} --json | :", {141}, ""),
        ("{} 2>&1 | :", {141}, ""),
        ("ontomask ontology info wordnet | :", {141}, ""),
        ("ontomask ontology info wordnet > /dev/full", {74}, "No space left on device"),
        ("ontomask init people.csv > /dev/full", {74}, "No space left on device"),
        ("ontomask link people.csv -c hobby --json >&-", {74}, "Bad file descriptor"),
        ("ontomask --help > /dev/full", {2, 74}, "No space left on device"),
        ("ontomask --help >&-", {2, 74}, "Bad file descriptor"),
        ("ontomask --version >&-", {74}, "Bad file descriptor"),
        ("ontomask init none.csv 2>&-", {2}, ""),
        ("ontomask init none.csv 2>/dev/full", {2}, ""),
    ],
)
def test_what_is_lost_shows_in_the_exit_code(folder: Path, line: str, codes: set[int], told: str) -> None:
    done = shell(folder, line.format(f"ontomask {' '.join(ANONYMIZE)}"))
    assert done.returncode in codes, done
    assert told in done.stderr + done.stdout
    for fault in ("Traceback", "Exception ignored", "lost sys.stderr"):
        assert fault not in done.stderr + done.stdout
    if line.startswith("{}"):  # the release is there, and whole
        assert len((folder / "r.csv").read_text().splitlines()) == 5


def test_a_file_never_takes_the_place_of_a_closed_stream(folder: Path, said: Said) -> None:
    assert said(*ANONYMIZE).returncode == 0
    whole = (folder / "r.csv").read_bytes()
    shell(folder, f"ontomask {' '.join(ANONYMIZE)} <&- >&- 2>&-")
    assert (folder / "r.csv").read_bytes() == whole


def test_an_interrupt_is_no_fault(folder: Path) -> None:
    (folder / "people.csv").write_text("hobby\n" + "".join(f"{i}\n" for i in range(200_000)))
    asked = [COMMAND, "anonymize", "people.csv", "--qi", "hobby:numeric", "-k", "3", "-o", "r.csv"]
    started = subprocess.Popen(asked, cwd=folder, stderr=subprocess.PIPE, text=True)
    assert started.stderr is not None
    while "masking" not in (line := started.stderr.readline()):
        assert line, "it ended before it could be interrupted"
    started.send_signal(signal.SIGINT)
    rest = started.stderr.read()
    assert (started.wait(), "Traceback" in rest) == (130, False)
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


@pytest.mark.parametrize(("times", "code"), [(1, 0), (2, 130)])
def test_ctrl_c_ends_a_search_and_the_second_time_the_command(folder: Path, times: int, code: int) -> None:
    """At a terminal: the best so far is released, and the record tells of it."""
    rows = "".join(f"{17 * i % 4001},{31 * i % 997}\n" for i in range(4000))
    (folder / "people.csv").write_text("age,pay\n" + rows)
    asked = [COMMAND, "anonymize", "people.csv", "--qi", "age:numeric", "--qi", "pay:numeric", "-k", "3"]
    asked += ["-o", "r.csv", "--method", "annealing", "--set", "method.effort=thorough"]
    ours, theirs = os.openpty()
    started = subprocess.Popen(asked, cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    seen = ""
    for awaited in ["loss at", *["the search ends"] * (times - 1)]:
        while awaited not in seen:
            seen += os.read(ours, 4096).decode(errors="replace")
        started.send_signal(signal.SIGINT)
    with suppress(OSError):  # the other end is closed
        while read := os.read(ours, 4096):
            seen += read.decode(errors="replace")
    os.close(ours)
    assert (started.wait(), "Traceback" in seen) == (code, False)
    if times == 2:
        assert [path.name for path in folder.iterdir()] == ["people.csv"]
        return
    assert "Ctrl-C once more" in seen
    record = json.loads((folder / "r.manifest.json").read_text())
    assert record["ended_early"] and any("ended before its time" in note for note in record["notes"])
    assert record["figures"]["k_reached"] >= 3


# ---------------------------------------------------------------------- faults


def fault_of_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException, *more: str
) -> tuple[int, str]:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(SaMdav, "partition", fail)
    monkeypatch.setattr(sys, "argv", ["ontomask", *ANONYMIZE, *more])
    with pytest.raises(SystemExit) as stop:
        main()
    assert isinstance(stop.value.code, int)
    return stop.value.code, capsys.readouterr().err


class PanicError(BaseException):
    """As those of libraries written in other languages."""


@pytest.mark.parametrize(
    "error", [ValueError("Ann, 30"), KeyError("Ann, 30"), PanicError("Ann, 30"), OSError("Ann, 30")]
)
def test_a_fault_of_the_program_tells_no_value(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
) -> None:
    monkeypatch.chdir(folder)
    code, said = fault_of_the_program(monkeypatch, capsys, error)
    line = said.splitlines()[-1]
    assert code == 70
    assert line.startswith(f"ontomask: a fault of the program: {type(error).__name__} in ontomask/methods/")
    assert line.endswith("; please report it; --debug shows the traceback")
    assert "Ann" not in said and "Traceback" not in said
    code, said = fault_of_the_program(monkeypatch, capsys, error, "--debug")
    assert code == 70 and "Traceback" in said and "Ann, 30" in said
    monkeypatch.setenv("ONTOMASK_DEBUG", "1")
    assert "Traceback" in fault_of_the_program(monkeypatch, capsys, error)[1]


def test_faults_that_the_program_noticed_are_told_in_its_words(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    code, said = fault_of_the_program(monkeypatch, capsys, errors.InternalError("sa-mdav lost records"))
    assert code == 70 and "sa-mdav lost records" in said
    code, said = fault_of_the_program(monkeypatch, capsys, ValueError("Ann"), "--json")
    assert json.loads(said)["error"]["kind"] == "OntomaskError"


# ---------------------------------------------------------------------- odd paths


LONG = "<".join(f"step{i}" for i in range(60))
ODD = {
    "a long order": ["--qi", f"hobby:ordinal={LONG}"],
    "a long ontology": ["--qi", "hobby:" + "x" * 300],
    "a long mapping": ["--qi", "hobby", "--mapping", "hobby:" + "x" * 5000],
    "a long setting": ["--qi", "hobby", "--set", "attributes.hobby.mapping=" + "x" * 5000],
    "a long plan": ["--plan", "x" * 5000],
    "a loop for a plan": ["--plan", "loop"],
    "a loop for a mapping": ["--qi", "hobby", "--mapping", "hobby:loop"],
    "a loop for an ontology": ["--qi", "hobby:loop"],
    "a loop for a report": ["--qi", "hobby", "--report", "loop/r.html"],
    "nobody's plan": ["--plan", "~nouser/p.yaml"],
    "nobody's mapping": ["--qi", "hobby", "--mapping", "hobby:~nouser/m.csv"],
    "nobody's ontology": ["--qi", "hobby:~nouser/o.obo"],
    "nobody's setting": ["--qi", "hobby", "--set", "attributes.hobby.mapping=~nouser/m.csv"],
    "nobody's report": ["--qi", "hobby", "--report", "~nouser/r.html"],
}


@pytest.mark.parametrize("case", ODD)
def test_odd_paths_are_told_in_words(folder: Path, said: Said, case: str) -> None:
    (folder / "loop").symlink_to("loop")
    done = said("anonymize", "people.csv", *ODD[case], "--others", "drop", "-k", "2", "-o", "r.csv")
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr and "a fault of the program" not in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["loop", "people.csv"]


@pytest.mark.parametrize(
    "line",
    [
        "init loop",
        "init loop.csv",
        "init loop.csv/x.csv",
        "link loop -c hobby",
        "link people.csv -c hobby --mapping loop",
        "link people.csv -c hobby --ontology loop",
        "ontology info loop",
        "ontology info loop.obo",
        "ontology info ~nouser/x.obo",
        "evaluate people.csv loop --plan loop",
        "compare people.csv --plan loop -o loop",
        "anonymize loop.csv --qi hobby -k 2 -o r.csv",
    ],
)
def test_loops_are_told_in_words(folder: Path, said: Said, line: str) -> None:
    for name in ("loop", "loop.csv", "loop.obo"):
        (folder / name).symlink_to(name)
    done = said(*line.split())
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert "a fault of the program" not in done.stderr


def test_a_zero_byte_is_no_path(folder: Path, said: Said) -> None:
    for options in (
        ["--qi", "hobby:ordinal=a\0b<c"],
        ["--qi", "hobby", "--mapping", "hobby:a\0b"],
        ["--qi", "hobby:\0"],
        ["--plan", "\0"],
        ["--qi", "hobby", "--report", "a\0"],
    ):
        done = said("anonymize", "people.csv", *options, "--others", "drop", "-k", "2", "-o", "r.csv")
        assert done.returncode == 2, (options, done)
    assert [path.name for path in folder.iterdir()] == ["people.csv"]


def test_what_typer_refuses_is_told_like_everything_else(said: Said) -> None:
    for arguments in (("anonymize", "people.csv", "-o", "r.csv", "-k", "x"), ("init",), ("init", "--nope")):
        done = said(*arguments)
        assert done.returncode == 2
        assert re.fullmatch(r"ontomask: .+; see `ontomask \w+ --help`\n", done.stderr)
        found = json.loads(said(*arguments, "--json").stderr)["error"]["faults"]
        assert len(found) == 1 and found[0]["remedy"].startswith("see `ontomask")


Make = Callable[[], OntomaskError]


@pytest.mark.parametrize("make", [lambda: TableError("x", details=("a", "b")), lambda: TableError("x")])
def test_details_stand_on_lines_of_their_own(make: Make) -> None:
    error = make()
    assert len(str(error).splitlines()) == 1 + len(error.faults[0].details)
