"""`ontomask anonymize` as a user meets it: what it writes, says of bad input, and leaves behind."""

from __future__ import annotations

import json
import os
import re
import resource
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ontomask.cli import main
from ontomask.methods.sa_mdav import SaMdav

Run = Callable[..., tuple[int, str, str]]
PEOPLE = """\
name,hobby,age,illness
Ann,fishing,30,flu
Bob,angling,31,flu
Cy,chess,40,burn
Di,chess,41,burn
"""
QI = ("--qi", "hobby:wordnet", "-k", "2", "--others", "keep")
COMMAND = (sys.executable, "-c", "from ontomask.cli import main; main()")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command in a folder of its own: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE)

    def command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["ontomask", *arguments])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return command


def files() -> set[str]:
    return {path.name for path in Path().iterdir()}


# ---------------------------------------------------------------------- good input


def test_options_and_plan_say_the_same(run: Run) -> None:
    Path("plan.yaml").write_text(
        "attributes:\n"
        "  name: {role: identifier}\n"
        "  hobby: {role: quasi-identifier, ontology: wordnet}\n"
        "  age: {role: quasi-identifier, kind: numeric}\n"
        "privacy: {k: 2}\n"
        "method: {name: recoding}\n"
        "others: keep\n"
        "seed: 4\n"
    )
    options = ("--identifier", "name", *QI, "--qi", "age:numeric", "--method", "recoding", "--seed", "4")
    assert run("anonymize", "people.csv", "--plan", "plan.yaml", "-o", "a.csv")[0] == 0
    assert run("anonymize", "people.csv", *options, "-o", "b.csv")[0] == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    digests = [json.loads(Path(f"{x}.manifest.json").read_text())["plan"]["sha256"] for x in "ab"]
    assert digests[0] == digests[1]


def test_options_win_over_the_plan(run: Run) -> None:
    Path("plan.yaml").write_text(
        "attributes:\n  hobby: {role: quasi-identifier}\nprivacy: {k: 2}\nothers: keep\n"
    )
    code, out, _ = run(
        "anonymize", "people.csv", "--plan", "plan.yaml", "-k", "4", "--seed", "9", "-o", "r.csv", "--json"
    )
    assert code == 0
    assert json.loads(out)["figures"]["k_asked"] == 4
    assert json.loads(Path("r.manifest.json").read_text())["seed"] == 9


def test_settings_reach_every_key(run: Run) -> None:
    Path("people.csv").write_bytes(
        "hobby;age;née\nchess;30;x\nchess;31;y\ngolf;32;-\ngolf;33;z\n".encode("cp1252")
    )
    asked = ("--qi", "hobby", "--qi", "age:numeric", "--confidential", "née", "-o", "r.csv")
    settings = {
        "table.encoding": "cp1252",
        "table.separator": ";",
        "table.na_values": "[-]",
        "privacy.k": "2",
        "attributes.age.weight": "2",
        "method.static": "true",
        "missing": "suppress-row",
    }
    code, _, err = run(
        "anonymize",
        "people.csv",
        *asked,
        *(part for item in settings.items() for part in ("--set", "=".join(item))),
    )
    assert code == 0, err
    made = json.loads(Path("r.manifest.json").read_text())
    assert made["version"] == 2
    read_as = {"separator": ";", "encoding": "cp1252", "na_values": ["", "-"]}
    assert made["plan"]["settings"]["table"] == read_as
    assert made["plan"]["settings"]["attributes"]["age"]["weight"] == 2
    assert made["plan"]["settings"]["method"]["static"] is True
    assert made["plan"]["settings"]["missing"] == "suppress-row"
    said = run("anonymize", "people.csv", *asked, "--set", "method.statc=true")
    assert (said[0], said[2]) == (2, "ontomask: method.statc: unknown key; did you mean 'static'?\n")


def test_paths_on_the_command_line_are_seen_from_here(run: Run) -> None:
    Path("plans").mkdir()
    plan = Path("plans/plan.yaml")
    plan.write_text("attributes:\n  hobby: {role: quasi-identifier}\nprivacy: {k: 2}\nothers: drop\n")
    Path("m.csv").write_text("value,concept\nangling,fishing.n.01\n")
    for asked in (("--mapping", "hobby:m.csv"), ("--set", "attributes.hobby.mapping=m.csv")):
        assert run("anonymize", "people.csv", "--plan", str(plan), *asked, "-o", "r.csv")[0] == 0
        made = json.loads(Path("r.internal.json").read_text())
        assert str(Path("m.csv").resolve()) in made["files"]


@pytest.mark.parametrize("command", ["init", "link"])
def test_a_table_without_a_plan_is_read_as_set(run: Run, command: str) -> None:
    Path("people.csv").write_bytes("näme:hobby\nx:chess\ny:golf\n".encode("latin-1"))
    asked = (command, "people.csv", *(("--column", "hobby") if command == "link" else ()))
    told = ("--set", "table.encoding=latin-1", "--set", "table.separator=:")
    assert run(*asked, *told[:2])[0] == (2 if command == "link" else 0)
    assert run(*asked, *told)[0] == 0
    code, _, err = run(*asked, "--set", "privacy.k=3")
    assert (code, err) == (
        2,
        "ontomask: --set privacy.k=3 has no effect here; only keys of the table do, such as "
        "table.encoding=cp1252\n",
    )


def test_columns_that_nobody_named_stop_the_run(run: Run) -> None:
    said = run("anonymize", "people.csv", "--qi", "hobby:wordnet", "-k", "2", "-o", "r.csv")
    refused(said, ["'name', 'age', 'illness'", "others: drop", "others: keep", "--others"])


def test_columns_that_nobody_named_can_be_dropped(run: Run) -> None:
    code, _, err = run(
        "anonymize", "people.csv", "--qi", "hobby:wordnet", "-k", "2", "--others", "drop", "-o", "r.csv"
    )
    assert code == 0
    assert Path("r.csv").read_text().splitlines()[0] == "hobby"
    assert "note: dropped, because the plan does not name them: name, age, illness" in err


def test_the_run_names_the_columns_it_leaves_alone(run: Run) -> None:
    code, _, err = run("anonymize", "people.csv", *QI, "-o", "r.csv")
    assert code == 0
    assert "the plan does not name them: name, age, illness" in err
    assert files() == {"people.csv", "r.csv", "r.manifest.json", "r.internal.json"}


def test_a_column_with_one_value_is_worth_a_note(run: Run) -> None:
    Path("people.csv").write_text("name,hobby\na,chess\nb,chess\n")
    code, _, err = run("anonymize", "people.csv", *QI, "-o", "r.csv")
    assert code == 0
    assert "column 'hobby' has one value, so it tells nobody apart" in err


def test_the_installed_command(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    done = installed(tmp_path, "anonymize", "people.csv", *QI, "-o", "r.csv")
    assert done.returncode == 0, done.stderr
    assert "smallest class" in done.stdout
    assert (tmp_path / "r.csv").exists()


# ---------------------------------------------------------------------- init, then what it suggests


HOSPITAL = "name,dob,postcode,note,job\n" + "".join(
    f"Ann Lee{i},19{40 + i}-03-0{i % 9 + 1},280{i % 5}1,She was brought in by her brother number {i},{job}\n"
    for i, job in enumerate(["nurse", "cook", "judge", "teacher"] * 6)
)


def test_what_init_suggests_releases_nothing_that_nobody_decided(run: Run) -> None:
    Path("people.csv").write_text(HOSPITAL)
    code, _, err = run("init", "people.csv", "-o", "plan.yaml")
    assert code == 0
    assert "3 of 5 columns are undecided, most telling first: dob, note, postcode\n" in err
    command = re.search(r"`ontomask (.+)`", err)
    assert command
    lines = Path("plan.yaml").read_text().splitlines()
    wanted = [
        f"plan.yaml, line {1 + next(i for i, line in enumerate(lines) if line.startswith(f'  {name}: '))}: "
        f"attributes.{name}.role: column '{name}': is undecided"
        for name in ("dob", "postcode", "note")
    ]
    said = run(*shlex.split(command[1]))
    refused(said, wanted, there={"people.csv", "plan.yaml"})
    assert len(said[2].splitlines()) == len(wanted)  # every fault on a line of its own, and nothing else


def test_the_plan_runs_once_every_column_is_decided(run: Run) -> None:
    Path("people.csv").write_text(HOSPITAL)
    run("init", "people.csv", "-o", "plan.yaml")
    plan = Path("plan.yaml").read_text()
    Path("plan.yaml").write_text(plan.replace("role: undecided", "role: identifier"))
    assert run("anonymize", "people.csv", "--plan", "plan.yaml", "-o", "r.csv")[0] == 0
    assert Path("r.csv").read_text().splitlines()[0] == "job"


def test_an_option_decides_too(run: Run) -> None:
    Path("plan.yaml").write_text(
        "attributes:\n"
        "  name: {role: identifier}\n"
        "  hobby: {role: quasi-identifier}\n"
        "  age: {role: undecided, kind: numeric}\n"
        "  illness: {role: confidential}\n"
    )
    command = ("anonymize", "people.csv", "--plan", "plan.yaml", "-k", "2", "-o", "r.csv")
    assert run(*command)[0] == 2
    assert run(*command, "--qi", "age:numeric")[0] == 0


def test_init_says_when_nothing_is_left_to_decide(run: Run) -> None:
    Path("people.csv").write_text("job,age\n" + "nurse,31\ncook,54\n" * 5)
    code, out, err = run("init", "people.csv")
    assert code == 0
    assert out.startswith("# A plan to start from: people.csv, 10 rows, 2 columns, 0 undecided.\n")
    assert "every column has a role" in err
    assert "`ontomask anonymize people.csv --plan plan.yaml -o release.csv`" in err


# ---------------------------------------------------------------------- errors for machines


def installed(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    script = Path(sys.executable).with_name("ontomask")
    if not script.exists():
        pytest.skip("the console script is not beside this Python")
    return subprocess.run([script, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_errors_are_data_with_json(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "plan.yaml").write_text(
        "attributes:\n  hobby: {role: quasi-identifier}\n"
        "  age: {role: undecided}\n  name: {role: undecided}\n"
    )
    command = ("anonymize", "people.csv", "--plan", "plan.yaml", "-o", "r.csv")
    done = installed(tmp_path, *command, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    error = json.loads(done.stderr)["error"]
    assert error["kind"] == "PlanError"
    assert error["faults"] == [
        {
            "text": "is undecided",
            "file": "plan.yaml",
            "line": line,
            "column": column,
            "value": "undecided",
            "key": f"attributes.{column}.role",
            "remedy": "write identifier, quasi-identifier, confidential or other in its place",
            "details": [],
        }
        for line, column in ((3, "age"), (4, "name"))
    ]
    plain = installed(tmp_path, *command)
    assert plain.returncode == 2
    assert plain.stderr.splitlines()[-2].startswith("ontomask: plan.yaml, line 3: ")
    assert plain.stderr.splitlines()[-1].startswith("plan.yaml, line 4: ")


def test_errors_of_every_command_are_data(tmp_path: Path) -> None:
    done = installed(tmp_path, "link", "none.csv", "--column", "job", "--json")
    assert done.returncode == 2
    assert json.loads(done.stderr)["error"]["kind"] == "TableError"


# ---------------------------------------------------------------------- bad input


BAD_TABLES = {
    "empty": (b"", ["people.csv: the file is empty"]),
    "header only": (b"name,hobby\n", ["has column names but no rows"]),
    "duplicate names": (b"hobby,hobby\na,b\n", ["'hobby' stands twice (columns 1, 2); rename one"]),
    "ragged": (b"name,hobby\na,chess\nb\n", ["line 3: expected 2 fields, found 1", "correct the line"]),
    "not UTF-8": (b"name,hobby\n\xfe\x9d\x81a\xff,chess\n", ["line 2", "not UTF-8", "set the encoding"]),
    "all missing": (b"name,hobby\na,\nb,NA\n", ["column 'hobby': has no value at all", "na_values"]),
    "unmapped": (
        b"name,hobby\na,fsshng\nb,chess\nc,zzqy\n",
        ["column 'hobby': 2 of 3 values have no concept", "fsshng    perhaps fishing.n.01", "zzqy",
         "ontomask link TABLE --column hobby --ontology wordnet -o hobby.csv"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables(run: Run, case: str) -> None:
    content, messages = BAD_TABLES[case]
    Path("people.csv").write_bytes(content)
    refused(run("anonymize", "people.csv", *QI, "-o", "r.csv", "--show-values"), messages)


BAD_OPTIONS = {
    "wrong separator": ([*QI, "--set", "table.separator=;"], ["one column only", "set the separator to ','"]),
    "k = 0": (["--qi", "hobby", "-k", "0"], ["privacy.k: must be", "not 0"]),
    "k > n": (
        ["--qi", "hobby", "-k", "9", "--others", "keep"],
        ["k = 9 is more than the 4 records", "smaller k"],
    ),
    "unknown ontology": (
        ["--qi", "hobby:wrodnet", "--others", "drop"],
        ["column 'hobby': no ontology 'wrodnet'"],
    ),
    "absent column": (["--qi", "hobbi", "-k", "2"], ["hobbi: the table has no such column", "'hobby'"]),
    "no number": (
        ["--qi", "illness:numeric", "--others", "drop"],
        ["column 'illness': 'burn' is not a number"],
    ),
    "not in order": (
        ["--qi", "illness:ordinal=low<high", "--others", "drop"],
        ["'burn' is not in its `order`"],
    ),
    "no quasi-identifier": (["-k", "2"], ["no column has role: quasi-identifier"]),
    "unknown method": ([*QI, "--method", "magic"], ["method.name: must be", "not 'magic'"]),
    "no plan file": (["--plan", "none.yaml"], ["none.yaml: the plan cannot be read"]),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_bad_options(run: Run, case: str) -> None:
    options, messages = BAD_OPTIONS[case]
    refused(run("anonymize", "people.csv", *options, "-o", "r.csv", "--show-values"), messages)


def test_a_number_too_large_is_refused(run: Run) -> None:
    Path("people.csv").write_text("age\n30\n1e400\n")
    said = run("anonymize", "people.csv", "--qi", "age:numeric", "-k", "2", "-o", "r.csv", "--show-values")
    refused(said, ["column 'age': '1e400' is too large a number", "beyond 1e+60"])


@pytest.mark.parametrize("concept", ["no_such_concept", "chess.n.99"])
def test_a_mapping_to_a_concept_that_does_not_exist(run: Run, concept: str) -> None:
    Path("m.csv").write_text(f"value,concept\nchess,{concept}\n")
    said = run("anonymize", "people.csv", *QI, "--mapping", "hobby:m.csv", "-o", "r.csv", "--show-values")
    refused(said, ["column 'hobby': the mapping of 'chess'", concept], there={"people.csv", "m.csv"})


def test_a_plan_with_a_column_that_the_table_lacks(run: Run) -> None:
    Path("plan.yaml").write_text("attributes:\n  hobbi: {role: quasi-identifier}\n")
    said = run("anonymize", "people.csv", "--plan", "plan.yaml", "-o", "r.csv")
    refused(said, ["plan.yaml, line 2", "hobbi"], there={"people.csv", "plan.yaml"})


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("none/r.csv", "there is no folder none; make it first"),
        (".", "it is a folder; give a file name in it"),
        ("people.csv/r.csv", "cannot write people.csv/r.csv"),
        ("r.xyz", "files ending in '.xyz' cannot be written"),
        ("people.csv", "the command reads that file; choose another name"),
    ],
)
def test_output_that_cannot_be_written(run: Run, output: str, message: str) -> None:
    refused(run("anonymize", "people.csv", *QI, "-o", output), [message])
    assert Path("people.csv").read_text() == PEOPLE


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_the_right_to_write(run: Run) -> None:
    Path("closed").mkdir(mode=0o500)
    code, _, err = run("anonymize", "people.csv", *QI, "-o", "closed/r.csv")
    assert code == 2
    assert "cannot write closed/r.csv: Permission denied" in err


def test_no_room_for_the_release(tmp_path: Path) -> None:
    """The system refuses to let the file grow, as a full disk does."""
    rows = "".join(f"{i},chess,{'x' * 200}\n" for i in range(4000))
    (tmp_path / "big.csv").write_text("id,hobby,note\n" + rows)
    done = subprocess.run(
        [*COMMAND, "anonymize", "big.csv", *QI, "-o", "r.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},  # half of it would stay
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000)),
    )
    assert done.returncode == 2, done.stderr
    assert "cannot write r.csv: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["big.csv"]


def refused(
    said: tuple[int, str, str],
    messages: list[str],
    there: frozenset[str] | set[str] = frozenset({"people.csv"}),
) -> None:
    """Exit code 2, one message, no traceback, and nothing left behind."""
    code, _, err = said
    assert code == 2, err
    assert err.startswith("ontomask: ")
    for message in messages:
        assert message in err
    assert "Traceback" not in err
    assert files() == there


# ---------------------------------------------------------------------- stopped halfway


@pytest.mark.parametrize(
    ("stopped_by", "code", "told"),
    [
        (KeyboardInterrupt, 130, ""),
        (RuntimeError, 70, "ontomask: a fault of the program: RuntimeError"),  # not the user's
        (MemoryError, 71, "ontomask: out of memory"),
        (RecursionError, 71, "ontomask: something in the input is nested too deeply"),
    ],
)
def test_a_run_that_is_stopped_leaves_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch, stopped_by: type[BaseException], code: int, told: str
) -> None:
    def stop(*_: object) -> None:
        raise stopped_by

    monkeypatch.setattr(SaMdav, "partition", stop)
    said = run("anonymize", "people.csv", *QI, "-o", "r.csv")
    assert (said[0], told in said[2], "Traceback" in said[2]) == (code, True, False)
    assert files() == {"people.csv"}


def test_stopped_while_writing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from ontomask.tables.delimited import Delimited

    def half(self: object, file: object, changes: object) -> None:
        file.write(b"hobby\nche")  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    monkeypatch.setattr(Delimited, "write_like", half)
    assert run("anonymize", "people.csv", *QI, "-o", "r.csv")[0] != 0
    assert files() == {"people.csv"}
