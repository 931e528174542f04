"""`ontomask anonymize` as a user meets it: what it writes, says of bad input, and leaves behind."""

from __future__ import annotations

import json
import os
import resource
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
QI = ("--qi", "hobby:wordnet", "-k", "2")
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
        "seed: 4\n"
    )
    options = ("--identifier", "name", *QI, "--qi", "age:numeric", "--method", "recoding", "--seed", "4")
    assert run("anonymize", "people.csv", "--plan", "plan.yaml", "-o", "a.csv")[0] == 0
    assert run("anonymize", "people.csv", *options, "-o", "b.csv")[0] == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    digests = [json.loads(Path(f"{x}.manifest.json").read_text())["plan"]["sha256"] for x in "ab"]
    assert digests[0] == digests[1]


def test_options_win_over_the_plan(run: Run) -> None:
    Path("plan.yaml").write_text("attributes:\n  hobby: {role: quasi-identifier}\nprivacy: {k: 2}\n")
    code, out, _ = run(
        "anonymize", "people.csv", "--plan", "plan.yaml", "-k", "4", "--seed", "9", "-o", "r.csv", "--json"
    )
    assert code == 0
    assert json.loads(out)["figures"]["k"] == 4
    assert json.loads(Path("r.manifest.json").read_text())["seed"] == 9


def test_the_run_names_the_columns_it_leaves_alone(run: Run) -> None:
    code, _, err = run("anonymize", "people.csv", *QI, "-o", "r.csv")
    assert code == 0
    assert "the plan does not name them: name, age, illness" in err
    assert files() == {"people.csv", "r.csv", "r.manifest.json"}


def test_a_column_with_one_value_is_worth_a_note(run: Run) -> None:
    Path("people.csv").write_text("name,hobby\na,chess\nb,chess\n")
    code, _, err = run("anonymize", "people.csv", *QI, "-o", "r.csv")
    assert code == 0
    assert "column 'hobby' has one value, so it tells nobody apart" in err


def test_the_installed_command(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    script = Path(sys.executable).with_name("ontomask")
    if not script.exists():
        pytest.skip("the console script is not beside this Python")
    done = subprocess.run(
        [script, "anonymize", "people.csv", *QI, "-o", "r.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "smallest class" in done.stdout
    assert (tmp_path / "r.csv").exists()


# ---------------------------------------------------------------------- bad input


BAD_TABLES = {
    "empty": (b"", ["people.csv: the file is empty"]),
    "header only": (b"name,hobby\n", ["has column names but no rows"]),
    "duplicate names": (b"hobby,hobby\na,b\n", ["'hobby' stands twice (columns 1, 2); rename one"]),
    "ragged": (b"name,hobby\na,chess\nb\n", ["line 3: expected 2 fields, found 1", "correct the line"]),
    "not UTF-8": ("name,hobby\nJosé,chess\n".encode("latin-1"), ["line 2", "not UTF-8", "set the encoding"]),
    "all missing": (b"name,hobby\na,\nb,NA\n", ["column 'hobby' has no value at all", "na_values"]),
    "unmapped": (
        b"name,hobby\na,fishhing\nb,chess\nc,zzqy\n",
        ["column 'hobby': 2 of 3 values have no concept", "fishhing    perhaps fishing.n.01", "zzqy",
         "ontomask link TABLE --column hobby --ontology wordnet -o hobby.csv"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables(run: Run, case: str) -> None:
    content, messages = BAD_TABLES[case]
    Path("people.csv").write_bytes(content)
    refused(run("anonymize", "people.csv", *QI, "-o", "r.csv"), messages)


BAD_OPTIONS = {
    "wrong separator": ([*QI, "--separator", ";"], ["one column only", "set the separator to ','"]),
    "k = 0": (["--qi", "hobby", "-k", "0"], ["privacy.k: must be", "not 0"]),
    "k > n": (["--qi", "hobby", "-k", "9"], ["k = 9 is more than the 4 records", "smaller k"]),
    "unknown ontology": (["--qi", "hobby:wrodnet", "-k", "2"], ["column 'hobby': no ontology 'wrodnet'"]),
    "absent column": (["--qi", "hobbi", "-k", "2"], ["hobbi: the table has no such column", "'hobby'"]),
    "no number": (["--qi", "illness:numeric", "-k", "2"], ["column 'illness': 'burn' is not a number"]),
    "not in order": (["--qi", "illness:ordinal=low<high", "-k", "2"], ["'burn' is not in its `order`"]),
    "no quasi-identifier": (["-k", "2"], ["no column has role: quasi-identifier"]),
    "unknown method": ([*QI, "--method", "magic"], ["method.name: must be", "not 'magic'"]),
    "no plan file": (["--plan", "none.yaml"], ["none.yaml: the plan cannot be read"]),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_bad_options(run: Run, case: str) -> None:
    options, messages = BAD_OPTIONS[case]
    refused(run("anonymize", "people.csv", *options, "-o", "r.csv"), messages)


def test_a_number_too_large_is_none(run: Run) -> None:
    Path("people.csv").write_text("age\n30\n1e400\n")
    refused(
        run("anonymize", "people.csv", "--qi", "age:numeric", "-k", "2", "-o", "r.csv"), ["'1e400' is not"]
    )


@pytest.mark.parametrize("concept", ["no_such_concept", "chess.n.99"])
def test_a_mapping_to_a_concept_that_does_not_exist(run: Run, concept: str) -> None:
    Path("m.csv").write_text(f"value,concept\nchess,{concept}\n")
    said = run("anonymize", "people.csv", *QI, "--mapping", "hobby:m.csv", "-o", "r.csv")
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
        ("people.csv", "it is the table itself"),
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


@pytest.mark.parametrize("stopped_by", [KeyboardInterrupt, RuntimeError])
def test_a_run_that_is_stopped_leaves_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch, stopped_by: type[BaseException]
) -> None:
    def stop(*_: object) -> None:
        raise stopped_by

    monkeypatch.setattr(SaMdav, "partition", stop)
    if stopped_by is RuntimeError:  # a fault of ours, which must not be dressed up as the user's
        with pytest.raises(RuntimeError):
            run("anonymize", "people.csv", *QI, "-o", "r.csv")
    else:
        assert run("anonymize", "people.csv", *QI, "-o", "r.csv")[0] != 0
    assert files() == {"people.csv"}


def test_stopped_while_writing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from ontomask.tables.delimited import Delimited

    def half(self: object, file: object, changes: object) -> None:
        file.write(b"hobby\nche")  # type: ignore[attr-defined]
        raise KeyboardInterrupt

    monkeypatch.setattr(Delimited, "write_like", half)
    assert run("anonymize", "people.csv", *QI, "-o", "r.csv")[0] != 0
    assert files() == {"people.csv"}
