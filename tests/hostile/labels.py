"""Hostile labels: what looks like HTML, a script, markup or a terminal's command must stay a text.

Every run has a benign twin; report and terminal of the hostile one may hold no other tags and no other
escape sequences than those of the twin.
"""

from __future__ import annotations

import html.parser
import os
import pty
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hostile.running import in_child, workplace
from hostile.sources import yaml_of

HOSTILE: dict[str, str] = {
    "a script": "<script>alert(1)</script>",
    "an image": "<img src=x onerror=alert(1)>",
    "an attribute": "\" onmouseover=\"alert(1)\" x=\"",
    "a single quote": "' onload='alert(1)' y='",
    "an end of a script": "</script><script>alert(1)</script>",
    "an end of a style": "</style><b>x</b>",
    "a comment": "--><b>x</b><!--",
    "a link": "<a href=\"javascript:alert(1)\">x</a>",
    "an SVG": "<svg onload=alert(1)></svg>",
    "an end of an SVG": "</text></svg><b>x</b>",
    "an entity": "&lt;b&gt;&#60;script&#62;",
    "a template": "{{7*7}}${7*7}{%raw%}",
    "a JSON end": "</script>\\u003c\"]}",
    "a colour": "\x1b[31mred\x1b[0m",
    "a title": "\x1b]0;owned\x07x",
    "a clear screen": "\x1b[2J\x1b[Hx",
    "a link of a terminal": "\x1b]8;;http://x\x1b\\x\x1b]8;;\x1b\\y",
    "a C1 control": "\x9b31mred",
    "a carriage": "safe\rEVIL",
    "backspaces": "abc\x08\x08\x08xyz",
    "a bell": "ding\x07dong",
    "a reversal": "\u202egnp.exe",
    "an isolate": "\u2066a\u2067b\u2069",
    "markup": "[bold red]x[/bold red]",
    "a markup link": "[link=http://x]y[/link]",
    "a closing tag": "[/]",
    "a line separator": "a\u2028b",
    "a next line": "a\x85b",
    "a DEL": "a\x7fb",
}  # fmt: skip
HOSTILE["all at once"] = "".join(HOSTILE.values())
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|.)")
_DANGEROUS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]"
)


def twin_of(label: str) -> str:
    """A benign label of the same shape: as long, with as many words."""
    return "".join(c if c == " " or (c.isascii() and c.isalnum()) else "x" for c in label)


def what_is_wrong(name: str) -> list[str]:
    """What a hostile label does to report and terminal that its benign twin does not."""
    return in_child(lambda: list(_compared(HOSTILE[name])))


def _compared(label: str) -> Iterator[str]:
    twin_tags, twin_screen, twin_code = _run(twin_of(label))
    tags, screen, code = _run(label)
    if code != twin_code:
        yield f"exit code {code}, of its twin {twin_code}: {screen[-300:]!r}"
        return
    if tags != twin_tags:
        yield f"other tags in the report: {list(((tags - twin_tags) + (twin_tags - tags)).items())[:4]}"
    yield from _on_screen(screen, twin_screen)
    error, twin_error = _refused(label), _refused(twin_of(label))
    yield from _on_screen(error, twin_error)


def _on_screen(screen: str, twin: str) -> Iterator[str]:
    other = {*_ESCAPE.findall(screen)} - {*_ESCAPE.findall(twin)}
    if other:
        yield f"escape sequences reach the terminal: {sorted(other)[:4]!r}"
    raw = {*_DANGEROUS.findall(_ESCAPE.sub("", screen))} - {*_DANGEROUS.findall(_ESCAPE.sub("", twin))}
    if raw:
        yield f"controls reach the terminal: {sorted(raw)!r}"
    if "EVIL" in screen and "\rEVIL" in screen:
        yield "a carriage return reaches the terminal"


def _run(label: str) -> tuple[Counter[Any], str, int]:
    """Tags of the report, what the terminal was sent, and the exit code."""
    with workplace() as folder:
        _prepare(folder, label, "keep")
        screen, code = on_terminal(
            ["anonymize", "t.csv", "--plan", "plan.yaml", "-o", "out.csv", "--report", "r.html", "--internal"]
        )
        report = folder / "r.html"
        return _tags(report.read_text("utf-8")) if report.exists() else Counter(), screen, code


def _refused(label: str) -> str:
    """What the terminal is sent when a run is refused: names and values are told there."""
    with workplace() as folder:
        _prepare(folder, label, "error")
        return on_terminal(["anonymize", "t.csv", "--plan", "plan.yaml", "-o", "out.csv", "--method", label])[
            0
        ]


def _prepare(folder: Path, label: str, others: str) -> None:
    """The label as name of columns, as value in every role, and in the ontology."""

    def field(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    names = [f"{role} {label}" for role in ("id", "job", "illness", "left")]
    jobs = ["cat", "dog", f"sort {label}"]
    rows = [[f"{label}{i}", jobs[i % 3], label if i % 2 else "flu", f"{label} {i}"] for i in range(12)]
    lines = (",".join(map(field, row)) for row in [names, *rows])
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="")
    tree: dict[str, Any] = {"thing": {"animal": {"cat": {}, "dog": {}}, "other": {}}}
    (folder / "onto.yaml").write_text(yaml_of(tree), encoding="utf-8")
    plan = {
        "attributes": {
            names[0]: {"role": "identifier"},
            names[1]: {"role": "quasi-identifier", "ontology": "onto.yaml"},
            names[2]: {"role": "confidential"},
        },
        "others": others,
        "unmapped": "own-leaf",
        "privacy": {"k": 3},
    }
    (folder / "plan.yaml").write_text(yaml_of(plan), encoding="utf-8")


def on_terminal(arguments: list[str]) -> tuple[str, int]:
    """What a person's terminal is sent by a run, and its exit code."""
    child, terminal = pty.fork()
    if not child:
        from hostile.running import command_in_child

        os.environ.update(TERM="xterm-256color", COLUMNS="200", LINES="50")
        command_in_child(arguments)
    sent = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        sent += piece
    os.close(terminal)
    return sent.decode("utf-8", "replace"), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class _Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: Counter[Any] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        is_script = any((value or "").strip().lower().startswith("javascript:") for _, value in attrs)
        self.found[tag, tuple(sorted(name for name, _ in attrs)), is_script] += 1

    def handle_endtag(self, tag: str) -> None:
        self.found[f"/{tag}"] += 1

    def handle_comment(self, data: str) -> None:
        self.found["comment"] += 1


def _tags(text: str) -> Counter[Any]:
    """Every tag of a page with the names of its attributes, and how often."""
    parser = _Tags()
    parser.feed(text)
    parser.close()
    return parser.found
