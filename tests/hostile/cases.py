"""Generated cases: `case(seed)` is a short table, a plan, and the ways in and out, the same for ever.

Which methods, measures, options, kinds, requirements and formats there are is read from the product's
registers, so that a new one is met without an edit here; nothing else of the product is used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from random import Random
from typing import Any

from hostile.odd import WORDS, distinct_texts, odd_text
from ontomask.columns import READERS
from ontomask.measures import MEASURES
from ontomask.methods import METHODS
from ontomask.options import Option, options_of
from ontomask.plan import MethodPlan, Plan
from ontomask.privacy import REQUIREMENTS
from ontomask.tables.register import ENGINES

Cell = str | int | float | None


@dataclass(frozen=True)
class Column:
    """A column as its source stores it; `labels` are the texts that everybody may know."""

    name: str
    role: str
    kind: str
    cells: list[Cell]
    settings: dict[str, Any] = field(default_factory=dict)
    labels: frozenset[str] = frozenset()
    is_named: bool = True


@dataclass(frozen=True)
class Case:
    """What is given to the product: a table, files beside it, a plan, and the ways in and out."""

    seed: int
    columns: tuple[Column, ...]
    plan: dict[str, Any]
    files: dict[str, str]
    source: str
    target: str
    way: str
    dialect: dict[str, Any]
    with_report: bool = False

    @property
    def n_rows(self) -> int:
        return len(self.columns[0].cells)

    @property
    def token(self) -> str:
        """What every identifier of this table holds, and nothing else does."""
        return token_of(self.seed)

    def __str__(self) -> str:
        method = self.plan["method"]["name"]
        shape = f"{self.n_rows} rows x {len(self.columns)} columns"
        return f"case {self.seed}: {shape}, {method}, {self.source} -> {self.target} by {self.way}"


def token_of(seed: int) -> str:
    return f"Qz{seed:x}zQ"


def case(seed: int) -> Case:
    """The case of a seed."""
    rng = Random(seed)
    source, target = rng.choices(*SOURCES)[0], rng.choices(*TARGETS)[0]
    is_slow = source in SLOW or target in SLOW
    way = "api" if source in OBJECTS else rng.choices(["api", "command"], [15, 1])[0]
    na_values = rng.choice([None, None, [""], ["", "NA"], ["NA", "-"], ["."], ["", "null", "-9"], []])
    n = rng.choice([1, 3, 5, 8, 8, 12, 12, 20, 30, rng.randint(1, 60)])
    dialect = _dialect(rng)
    files: dict[str, str] = {}
    names = distinct_texts(rng, rng.randint(1, 6), 0.2)
    roles = _roles(rng, len(names))
    marks = ["", "NA", "?"] if na_values is None else na_values
    columns = []
    for at, (name, role) in enumerate(zip(names, roles, strict=True)):
        is_text = source in TEXTS or source == "by duckdb"
        if is_text and not at:
            name = name.lstrip("\ufeff")  # there it is the mark of the file
        name = _fit(f"{name}{at}", dialect) if is_text else f"{name}{at}"
        columns.append(_column(rng, seed, name, role, n, marks, source, dialect, files))
    if rng.random() < 0.3:
        _repeat_rows(rng, columns, n)
    if source == ".xlsx" and all(column.cells[-1] is None for column in columns):
        columns[0].cells[-1] = next((cell for cell in columns[0].cells if cell is not None), None)
    plan = _plan(rng, columns, na_values, source, dialect, n, files)
    with_report = way == "command" and not is_slow and rng.random() < 0.04
    return Case(seed, tuple(columns), plan, files, source, target, way, dialect, with_report)


# ---------------------------------------------------------------------- ways in and out

TEXTS = next(one.suffixes for one in ENGINES if one.module == "delimited")
_OF_ENGINES = ("duckdb", "_duckdb", "pyspark")  # they come by way of Ibis, or have tests of their own
OBJECTS = tuple(one for engine in ENGINES for one in engine.libraries if one not in _OF_ENGINES)
_FILES = tuple(suffix for one in ENGINES if one.module != "statistical" for suffix in one.suffixes)
SLOW = frozenset({".duckdb", "ibis", "folder", "by duckdb"})  # a database costs ten times a text file
_RARE = 0.03


def _weighted(all_: tuple[str, ...]) -> tuple[list[str], list[float]]:
    common = {".csv": 8.0, ".tsv": 1.0, ".parquet": 1.0, "pyarrow": 1.0, "pandas": 0.7}
    return list(all_), [_RARE if one in SLOW else common.get(one, 0.4) for one in all_]


SOURCES = _weighted((*_FILES, *OBJECTS, "folder", "by duckdb"))
TARGETS = _weighted(_FILES)


def _dialect(rng: Random) -> dict[str, Any]:
    encoding = rng.choices(["utf-8", "utf-8-sig", "utf-16", "cp1252", "latin-1"], [12, 2, 1, 1, 1])[0]
    return {
        "separator": rng.choice([",", ",", ";", "\t", "|"]),
        "encoding": encoding,
        "newline": rng.choice(["\n", "\n", "\r\n", "\r\n"]),
        "quotes": rng.choice(["needed", "needed", "all", "some"]),
        "last newline": rng.random() < 0.8,
    }


def _fit(text: str, dialect: dict[str, Any]) -> str:
    """A text that its file can hold."""
    encoding = dialect["encoding"]
    return text if encoding.startswith("utf") else text.encode(encoding, "replace").decode(encoding)


# ---------------------------------------------------------------------- columns


def _roles(rng: Random, n: int) -> list[str]:
    others = ["identifier", "quasi-identifier", "quasi-identifier", "confidential", "other", "unnamed"]
    roles = ["quasi-identifier", *(rng.choice(others) for _ in range(n - 1))]
    rng.shuffle(roles)
    return roles


def _column(
    rng: Random,
    seed: int,
    name: str,
    role: str,
    n: int,
    marks: list[str],
    source: str,
    dialect: dict[str, Any],
    files: dict[str, str],
) -> Column:
    if role == "identifier":
        cells: list[Cell] = [f"{token_of(seed)}{i}{rng.choice(['', ' Ünal', ', Jr.'])}" for i in range(n)]
        made = Column(name, role, "nominal", cells)
    elif role == "quasi-identifier":
        kind = rng.choice([*READERS])
        made = KINDS[kind](rng, seed, name, n, source, files)
    else:
        texts = distinct_texts(rng, rng.randint(1, 5), 0.4)
        made = Column(
            name, role, "nominal", [rng.choice(texts) for _ in range(n)], is_named=role != "unnamed"
        )
    cells, is_text = made.cells, source in TEXTS or source == "by duckdb"
    if rng.random() < 0.4 and role != "identifier":
        share = rng.choice([0.05, 0.1, 0.3, 0.6])
        cells = [_missing(rng, marks, is_text) if rng.random() < share else cell for cell in cells]
    if is_text:
        cells = [_fit("" if cell is None else str(cell), dialect) for cell in cells]
        if "order" in made.settings:
            made.settings["order"] = list(
                dict.fromkeys(_fit(text, dialect) for text in made.settings["order"])
            )
    if source == ".xlsx":  # an empty cell of a workbook is no cell
        cells = [None if cell == "" else cell for cell in cells]
    return Column(made.name, role, made.kind, cells, made.settings, made.labels, made.is_named)


def _missing(rng: Random, marks: list[str], is_text: bool) -> Cell:
    if not is_text:
        return None
    mark = rng.choice(marks) if marks else ""
    return f" {mark} " if mark and rng.random() < 0.1 else mark


def _nominal(rng: Random, seed: int, name: str, n: int, source: str, files: dict[str, str]) -> Column:
    if rng.random() < 0.05:  # large, so seldom
        labels, settings = WORDS, {"ontology": "wordnet"}
    else:
        number = rng.randrange(150)  # few, so that most come from the cache
        labels, content = small_ontology(number)
        file = f"onto{number}.yaml"
        files[file], settings = content, {"ontology": file}
    rare = rng.choice([0.0, 0.0, 0.1, 0.5])
    vocabulary = rng.sample(labels, rng.randint(1, len(labels)))
    cells: list[Cell] = []
    for i in range(n):
        text = rng.choice(vocabulary)
        if rng.random() < rare:
            text = rng.choice([text.upper(), f"Rr{seed:x}person{i}", f"{text} of Elm Street {i}", f" {text}"])
        cells.append(text)
    settings["senses"] = rng.choice(["coherent", "first", "explicit"] if rng.random() < 0.1 else ["coherent"])
    if rng.random() < 0.1:
        some = [str(cell) for cell in cells if isinstance(cell, str)][:3]
        rows = "".join(
            f'"{text.replace(chr(34), chr(34) * 2)}",{labels[0]}\n' for text in dict.fromkeys(some)
        )
        files["mapping.csv"], settings["mapping"] = f"value,concept\n{rows}", "mapping.csv"
    if rng.random() < 0.25:
        cells = _several(rng, cells, labels, settings)
    return Column(name, "quasi-identifier", "nominal", cells, settings, frozenset(labels))


def _several(rng: Random, cells: list[Cell], labels: list[str], settings: dict[str, Any]) -> list[Cell]:
    """Cells with several of these answers, in any order, with a separator that no answer has."""
    separator = rng.choice([";", "|", " / ", ",", "~~"])
    if any(separator.strip() in str(text) for text in (*cells, *labels)):
        return cells
    settings["several"] = separator
    blank = rng.choice(["", "", " "])
    drawn = ([str(cell), *rng.choices([*map(str, cells)], k=rng.choice([0, 0, 1, 1, 2]))] for cell in cells)
    return [f"{separator}{blank}".join(rng.sample(own, len(own))) for own in drawn]


def small_ontology(number: int) -> tuple[list[str], str]:
    """Labels and YAML of one of the small trees; odd labels in every second one."""
    labels, parents = small_tree(number)

    def lines(at: int, depth: int) -> list[str]:
        own, below = "  " * depth + yaml_text(labels[at]) + ":", "  " * (depth + 1)
        synonym = [f"{below}=: {yaml_text(f'synonym {at}')}"] if number % 3 == 0 else []
        children = [child for child, parent in parents.items() if parent == at]
        inside = [*synonym, *(line for child in children for line in lines(child, depth + 1))]
        return [own, *inside] if inside else [f"{own} {{}}"]

    return labels, "\n".join(lines(0, 0)) + "\n"


def small_tree(number: int) -> tuple[list[str], dict[int, int]]:
    """Labels of a small tree, the root first, and the label above each other one."""
    rng = Random(number)
    labels = distinct_texts(rng, rng.randint(2, 14), 0.5 * (number % 2))
    return labels, {child: rng.randrange(child) for child in range(1, len(labels))}


def yaml_text(text: str) -> str:
    """A text as YAML whatever is in it."""
    marks = (c if c.isascii() and c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{"".join(marks)}"'


_NUMBERS: list[tuple[float, Callable[[Random], str]]] = [
    (6, lambda rng: str(rng.randint(0, 99))),
    (3, lambda rng: str(rng.randint(-50, 50))),
    (3, lambda rng: f"{rng.uniform(-9, 9):.{rng.randint(0, 4)}f}"),
    (1, lambda rng: f"{rng.randint(1, 9)}e{rng.randint(-8, 8)}"),
    (
        0.3,
        lambda rng: rng.choice(["1e300", "-1e300", "1.7e308", "-1.7e308", "5e-324", "-0", "-0.0", "1e-400"]),
    ),
    (0.3, lambda rng: rng.choice(["007", "+5", " 7 ", ".5", "5.", "1_000", "٣", str(2**63), str(10**25)])),
]


def _numeric(rng: Random, seed: int, name: str, n: int, source: str, files: dict[str, str]) -> Column:
    weights, makers = [weight for weight, _ in _NUMBERS], [maker for _, maker in _NUMBERS]
    some = rng.choices(makers, weights, k=rng.randint(1, 2))
    cells: list[Cell] = [rng.choice(some)(rng) for _ in range(n)]
    if source not in TEXTS and source != "by duckdb" and rng.random() < 0.8:
        cells = [float(str(cell).replace("_", "")) for cell in cells]
        if all(abs(x) < 2**53 and x.is_integer() for x in cells if isinstance(x, float)):
            cells = [int(x) for x in cells if isinstance(x, float)]
    return Column(name, "quasi-identifier", "numeric", cells)


def _ordinal(rng: Random, seed: int, name: str, n: int, source: str, files: dict[str, str]) -> Column:
    order = distinct_texts(rng, rng.randint(2, 6), 0.3)
    cells: list[Cell] = [rng.choice(order) for _ in range(n)]
    return Column(name, "quasi-identifier", "ordinal", cells, {"order": order}, frozenset(order))


DAY_FORMS: dict[str, Callable[[date], str]] = {
    "%Y-%m-%d": date.isoformat,
    "%d/%m/%Y": lambda day: f"{day.day:02d}/{day.month:02d}/{day.year:04d}",
    "%m/%d/%Y": lambda day: f"{day.month}/{day.day}/{day.year:04d}",
    "%d.%m.%Y": lambda day: f"{day.day}.{day.month}.{day.year:04d}",
    "%Y%m%d": lambda day: f"{day.year:04d}{day.month:02d}{day.day:02d}",
    "%y%m-%d": lambda day: f"{day.year % 100:02d}{day.month:02d}-{day.day:02d}",  # 2012-12 is such a day
}


def _date(rng: Random, seed: int, name: str, n: int, source: str, files: dict[str, str]) -> Column:
    form = rng.choice([*DAY_FORMS])
    low, high = rng.choice([(2024, 2025), (1970, 2060), (1999, 2001)])
    if form != "%y%m-%d" and rng.random() < 0.1:
        low, high = rng.choice([(1, 2), (1, 9999), (9998, 9999)])
    first, last = date(low, 1, 1).toordinal(), date(high, 12, 31).toordinal()
    few = [rng.randint(first, last) for _ in range(rng.randint(1, 8))]
    some = [rng.choice(few) + rng.choice([0, 0, 1, 3, 20]) for _ in range(n)]
    cells: list[Cell] = [DAY_FORMS[form](date.fromordinal(min(day, last))) for day in some]
    if rng.random() < 0.02:
        cells[0] = rng.choice(["2024-13-01", "2024", "2024-02-30", "12:30", "today"])  # a refusal
    return Column(name, "quasi-identifier", "date", cells, {"format": form})


KINDS: dict[str, Callable[..., Column]] = {
    "nominal": _nominal,
    "numeric": _numeric,
    "ordinal": _ordinal,
    "date": _date,
}


def _repeat_rows(rng: Random, columns: list[Column], n: int) -> None:
    """Copy some rows over others: whole rows alike, but for identifiers."""
    for _ in range(rng.randint(1, n)):
        row, copied = rng.randrange(n), rng.randrange(n)
        for column in columns:
            if column.role != "identifier":
                column.cells[row] = column.cells[copied]


# ---------------------------------------------------------------------- hierarchies

GROUPS = ("group 1", "group 2", "group 3", "any")


def _hierarchy(rng: Random, column: Column, na_values: list[str], files: dict[str, str]) -> Any:
    """How a hierarchy is built for a column, or a file that holds most of its values."""
    way = rng.choice(HIERARCHIES[column.kind])
    if way != "file":
        built: dict[str, Any] = {} if way == "default" else {"by": way}
        if rng.random() < 0.6:
            built["levels"] = rng.randint(1, 5)
        if way == "width" and rng.random() < 0.5:
            built["width"] = rng.choice([0.5, 1, 7, 10, 1e9])
        return built
    marks = {mark.strip() for mark in na_values} | {""}
    texts = [str(cell) for cell in column.cells if cell is not None and str(cell).strip() not in marks]
    values = [text for text in dict.fromkeys(texts) if text.strip() and not {*text} & {*"\r\n"}]
    if rng.random() < 0.1:
        values = values[1:]  # one is not in it: a refusal
    if not values:
        return {}
    lines = [f"{yaml_text(GROUPS[-1])}:"]
    for group in GROUPS[:-1]:
        own = [text for text in values if text not in GROUPS and hash_of(text) % 3 == GROUPS.index(group)]
        lines += [f"  {yaml_text(group)}:", *(f"    {yaml_text(text)}: {{}}" for text in own)] if own else []
    name = f"hierarchy{len(files)}.yaml"
    files[name] = "\n".join(lines) + "\n"
    return name


def hash_of(text: str) -> int:
    """A number that does not change from run to run."""
    return sum(map(ord, text))


HIERARCHIES = {
    "nominal": ("default", "meaning", "prefix", "file"),
    "numeric": ("default", "width", "frequency", "ranges"),
    "ordinal": ("default", "file"),
    "date": ("default", "file"),
}

# ---------------------------------------------------------------------- plans


def _of_column(some: Callable[[Random], Any]) -> Callable[[Random, int, list[str]], Any]:
    """What is asked of one or two confidential columns, if there are any."""

    def value(rng: Random, n: int, confidential: list[str]) -> Any:
        chosen = rng.sample(confidential, min(len(confidential), rng.choice([1, 1, 2])))
        return {name: some(rng) for name in chosen} or None

    return value


# None: it is not asked for. A population is a table of its own; see tests/test_requirements.py.
REQUIREMENT_VALUES: dict[str, Callable[[Random, int, list[str]], Any]] = {
    "k": lambda rng, n, confidential: (
        rng.choice([1, 2, 2, 3, 3, 4, 5, 7, n]) if rng.random() < 0.2 else rng.randint(1, min(n, 5))
    ),
    "l": _of_column(
        lambda rng: rng.choice(
            [1, 2, 2, 3, {"entropy": 1.5}, {"recursive": {"c": rng.choice([1, 3]), "l": 2}}]
        )
    ),
    "t": _of_column(lambda rng: rng.choice([0, 0.1, 0.3, 0.5, {"equal": 0.2}, 1])),
    "beta": _of_column(lambda rng: rng.choice([0.2, 1, 3, {"enhanced": 1}])),
    "delta": _of_column(lambda rng: rng.choice([0.1, 0.7, 2])),
    "lkc": lambda rng, n, confidential: {"L": 2, "K": rng.randint(1, 4), "C": rng.choice([0.5, 0.8, 1])},
    "k_map": lambda rng, n, confidential: None,
}


def _plan(
    rng: Random,
    columns: list[Column],
    na_values: list[str] | None,
    source: str,
    dialect: dict[str, Any],
    n: int,
    files: dict[str, str],
) -> dict[str, Any]:
    attributes: dict[str, dict[str, Any]] = {}
    for column in columns:
        if not column.is_named:
            continue
        attributes[column.name] = {"role": column.role}
        if column.role == "quasi-identifier":
            attributes[column.name] |= {"kind": column.kind, **column.settings}
            if rng.random() < 0.2:
                attributes[column.name]["weight"] = rng.choice([0.1, 2, 7.5, 1e-9, 1e6, 1e308])
            if rng.random() < 0.1:
                attributes[column.name] |= rng.choice([{"keep": True}, {"max_loss": 0.2}, {"max_loss": 0.6}])
            if rng.random() < (0.01 if "several" in column.settings else 0.25):  # which is refused
                marks = ["", "NA", "?"] if na_values is None else na_values
                hierarchy = _hierarchy(rng, column, marks, files)
                attributes[column.name]["hierarchy"] = hierarchy
                if isinstance(hierarchy, dict) and hierarchy.get("by") == "prefix":
                    for key in ("ontology", "mapping"):
                        attributes[column.name].pop(key, None)
    table: dict[str, Any] = {} if na_values is None else {"na_values": na_values}
    if source in TEXTS or source == "by duckdb":
        table |= {"encoding": dialect["encoding"], "separator": dialect["separator"]}
    if source == "by duckdb":
        table["engine"] = "duckdb"
    plan: dict[str, Any] = {"attributes": attributes, "method": _method(rng), "table": table}
    confidential = [column.name for column in columns if column.role == "confidential"]
    if "target" in plan["method"]:
        _give_purpose(rng, plan["method"], attributes, confidential)
    asked = {
        key: REQUIREMENT_VALUES[key](rng, n, confidential) for key in REQUIREMENTS if _is_asked(rng, key)
    }
    plan["privacy"] = {key: value for key, value in asked.items() if value is not None}
    identifiers = [column.name for column in columns if column.role == "identifier"]
    if identifiers and rng.random() < 0.05:
        plan["privacy"]["unit"] = rng.choice(identifiers)
    if rng.random() < (0.5 if METHODS[plan["method"]["name"]].may_suppress else 0.01):
        plan["privacy"]["suppress"] = rng.choice(["2%", "10%", 0.3, "60%", 0, "99.9%"])
    for key, one in options_of(Plan).items():
        if (one.choices or one.kind in (bool, int)) and key != "version" and rng.random() < 0.5:
            plan[key] = value_of(rng, one)
            if plan[key] == "error" and rng.random() < 0.9:
                del plan[key]
    if METHODS[plan["method"]["name"]].is_truthful and rng.random() < 0.9:
        plan.pop("release", None)
    elif rng.random() < 0.2:
        for name in [name for name, one in attributes.items() if one["role"] == "quasi-identifier"]:
            attributes[name]["release"] = rng.choice(["central", "truthful"])
    if gives_no_k(plan["method"]) and rng.random() < 0.9:
        _ask_nothing(plan)
    plan.setdefault("others", rng.choice(["keep", "drop"]))
    plan.setdefault("unmapped", rng.choice(["root", "own-leaf", "suppress"]))
    return plan


def gives_no_k(method: dict[str, Any]) -> bool:
    """Whether a method writes for each person what was drawn for that person."""
    return method["name"] in ("rank-swapping", "noise") or method.get("replacement") == "synthetic"


def _ask_nothing(plan: dict[str, Any]) -> None:
    """Of a method that gives no k nothing can be asked but the size of its groups."""
    has_groups = METHODS[plan["method"]["name"]].has_groups
    plan["privacy"] = {key: value for key, value in plan["privacy"].items() if key == "k" and has_groups}
    for settings in (plan, *plan["attributes"].values()):
        settings.pop("release", None)


def _give_purpose(
    rng: Random, method: dict[str, Any], attributes: dict[str, dict[str, Any]], confidential: list[str]
) -> None:
    """A target that is there, mostly, and what ranks and constrains columns of that plan."""
    masked = [name for name, one in attributes.items() if one["role"] == "quasi-identifier"]
    if confidential and rng.random() < 0.9:
        method["target"] = rng.choice(confidential)
    elif rng.random() < 0.9:
        del method["target"]
    for key in ("mim", "literature", "terms", "target_term", "literature_filter"):
        method.pop(key, None)  # numbers for these columns are given below; there is no literature
    if method.pop("prioritise", None) and masked:
        attributes[masked[0]]["semantic_type"] = "Finding"
        method["prioritise"] = {"types": [rng.choice(["finding", "Finding"])]}
    if method.get("score") == "mim":
        method["mim"] = {name: rng.choice([0.0, 0.5, 20.0]) for name in masked}


def _is_asked(rng: Random, requirement: str) -> bool:
    return requirement == "k" or rng.random() < 0.1


def _method(rng: Random) -> dict[str, Any]:
    """A method with some of its options and some of those that all share."""
    name = rng.choice([*METHODS])
    chosen: dict[str, Any] = {"name": name}
    for key, one in (options_of(METHODS[name])).items():
        if rng.random() < 0.5:
            chosen[key] = value_of(rng, one)
    if rng.random() < 0.6:
        chosen["measure"] = rng.choice([*MEASURES])
    measure = MEASURES[chosen.get("measure", "logsc")]
    for key, one in options_of(MethodPlan).items():
        fits = key not in ("convention", "ic") or hasattr(measure, key)
        if key not in ("name", "measure") and rng.random() < (0.2 if fits and key != "centroid" else 0.03):
            chosen[key] = value_of(rng, one)
    return chosen


def value_of(rng: Random, one: Option) -> Any:
    """A value that an option takes, by its declaration."""
    if one.choices:
        return rng.choice(one.choices)
    if one.kind is bool:
        return rng.random() < 0.5
    if one.kind is int:
        return rng.randint(one.least or 0, (one.least or 0) + 20)
    if one.kind is float:
        return (one.above or 0.0) + rng.choice([0.1, 1.0, 3.5])
    if one.name == "ic":
        return rng.choice(["seco", "sanchez"])
    return odd_text(rng)
