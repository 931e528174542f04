"""Bad plans: broken YAML, and for every option that the product declares values that it cannot have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hostile.bad import BOMB, PLAN, Bad, with_plan, write
from ontomask.options import options_of
from ontomask.plan import AttributePlan, MethodPlan, Plan
from ontomask.plan.parts import TableSettings

PLAN_TEXTS: dict[str, str | bytes] = {
    "empty": "",
    "a comment": "# nothing\n",
    "a list": "[a, b]",
    "a text": "hello",
    "a number": "7",
    "two documents": "a: 1\n---\nb: 2\n",
    "unclosed": "attributes: {",
    "tabs": "privacy:\n\tk: 3\n",
    "a key twice": "privacy: {k: 3}\nprivacy: {k: 2}\n",
    "a python tag": "privacy: !!python/object/apply:os.system ['true']\n",
    "an own tag": "privacy: !x {k: 3}\n",
    "an unknown alias": "privacy: *x\n",
    "an alias of itself": "a: &a [*a]\n",
    "a bomb": BOMB,
    "deep": "attributes: " + "[" * 2000 + "]" * 2000,
    "deep mappings": "attributes: " + "{a: " * 1500 + "1" + "}" * 1500,
    "not UTF-8": b"privacy: {k: \xff}\n",
    "utf-16": "privacy: {k: 2}".encode("utf-16"),
    "zeros": bytes(50),
    "a control character": "privacy: {k: \x07}\n",
    "a merge key": "<<: {privacy: {k: 2}}\n",
    "a complex key": "? [a, b]\n: 1\n",
    "a null key": "~: 1\n",
    "version 99": "version: 99\n",
    "version of text": "version: new\n",
    "a huge k": "privacy: {k: " + "9" * 5000 + "}\n",
    "a date": "seed: 2024-01-01\n",
}

WRONG: tuple[Any, ...] = ([1], {"a": 1}, "zzz", -7, 1.5, "", True)


def plans() -> Iterator[Bad]:
    for name, text in PLAN_TEXTS.items():
        yield Bad(
            "plan",
            name,
            write("plan.yaml", text),
            mentions=("plan", "privacy", "attributes", "version", "seed"),
        )
    for key in ("privcy", "Method", "k", "table ", "", "attributes.age", "qi", "__class__", "\x1b[31m"):
        yield Bad(
            "plan", f"unknown key {key!r}", with_plan(**{key: 1}), mentions=(key.strip()[:3] or "key", "key")
        )
    yield from _wrong_values("table", TableSettings)
    yield from _wrong_values("method", MethodPlan)
    for value in (*WRONG[:-2], 0, "2", 2.0, None, 7, 10**30):
        spoil = with_plan(privacy={"k": value})
        yield Bad(
            "plan",
            f"k {str(value)[:20]}",
            spoil,
            mentions=("k",),
            codes=(0, 2) if value in ("2", None, 2.0) else (2,),
        )
    for key in (key for key, one in options_of(Plan).items() if one.values != "section"):
        for value in ([1], {"a": 1}, "zzz", -7):
            yield Bad("plan", f"{key}: {value!r}", with_plan(**{key: value}), mentions=(key,))
    for key in options_of(AttributePlan):
        for value in ([{"a": 1}], {"a": 1}, -7):
            age = {**PLAN["attributes"], "age": {**PLAN["attributes"]["age"], key: value}}
            yield Bad("plan", f"age.{key}: {value!r}", with_plan(attributes=age), mentions=(key, "age"))
    for name, changes in CONTRADICTIONS.items():
        yield Bad("plan", name, with_plan(**changes))


def _wrong_values(section: str, kind: Any) -> Iterator[Bad]:
    for key, one in options_of(kind).items():
        for value in ([[1]], {"a": 1}, *([-7] if one.kind is not str else [])):
            yield Bad(
                "plan", f"{section}.{key}: {value!r}", with_plan(**{section: {key: value}}), mentions=(key,)
            )
        if one.choices:
            yield Bad("plan", f"{section}.{key}: zzz", with_plan(**{section: {key: "zzz"}}), mentions=(key,))
    yield Bad("plan", f"{section}: a list", with_plan(**{section: [1]}), mentions=(section,))


_ATTRIBUTES = PLAN["attributes"]


def _with(column: str, settings: dict[str, Any]) -> dict[str, Any]:
    return {"attributes": {**_ATTRIBUTES, column: settings}}


CONTRADICTIONS: dict[str, dict[str, Any]] = {
    "nothing masked": {"attributes": {name: {"role": "other"} for name in _ATTRIBUTES}},
    "all identifiers": {"attributes": {name: {"role": "identifier"} for name in _ATTRIBUTES}},
    "an undecided column": _with("ward", {"role": "undecided"}),
    "ordinal without order": _with("level", {"role": "quasi-identifier", "kind": "ordinal"}),
    "an order of one": _with("level", {**_ATTRIBUTES["level"], "order": ["low"]}),
    "an order with repeats": _with("level", {**_ATTRIBUTES["level"], "order": ["low", "low"]}),
    "an ontology for numbers": _with("age", {**_ATTRIBUTES["age"], "ontology": "wordnet"}),
    "a weight of an identifier": _with("name", {"role": "identifier", "weight": 2}),
    "a column that is not there": _with("zip", {"role": "identifier"}),
    "an option of another method": {"method": {"name": "recoding", "static": True}},
    "convention without its measure": {"method": {"measure": "logsc", "convention": "links"}},
    "ic without its measure": {"method": {"measure": "logsc", "ic": "seco"}},
    "ic of a missing file": {"method": {"measure": "lin", "ic": "nothing.txt"}},
    "h2 and distributional": {"method": {"name": "recoding", "h2": False, "distributional": True}},
    "k beyond the table": {"privacy": {"k": 7}},
    "suppression of all": {"method": {"name": "suppression"}, "privacy": {"k": 6}},
    "an unknown role": _with("ward", {"role": "secret"}),
    "a role of none": {"attributes": {**_ATTRIBUTES, "ward": 5}},
    "a NUL in a path": _with("job", {"role": "quasi-identifier", "ontology": "on\0to.yaml"}),
    "a long path": _with("job", {"role": "quasi-identifier", "ontology": "x" * 5000}),
    "nobody's home": _with("job", {"role": "quasi-identifier", "ontology": "~nobody9/x.yaml"}),
    "a mapping of nobody's home": _with("job", {**_ATTRIBUTES["job"], "mapping": "~nobody9/m.csv"}),
}
