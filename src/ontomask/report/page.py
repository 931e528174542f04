"""Release -> one HTML page: gathers what is said and drawn; `page.html.jinja` lays it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ontomask.assessment import ReleaseWarning, figures_of, warnings_of
from ontomask.files import replacing
from ontomask.hierarchies.drawing import TREE_RULES, Drawn, as_svg, level_headings, level_rows
from ontomask.outputs import check_apart
from ontomask.plan.sign_off import SignOff
from ontomask.printable import many_lines, people
from ontomask.report import charts, words
from ontomask.report.changes import Changes
from ontomask.report.comparison import Comparison
from ontomask.report.correlations import correlations_beside
from ontomask.report.examples import examples
from ontomask.report.figures import single_numbers
from ontomask.report.hierarchies import hierarchy_told
from ontomask.report.linking import LinkingRow, linking_row
from ontomask.report.meaning import neighbourhood
from ontomask.report.members import MemberRow, member_rows
from ontomask.report.records import RiskRow, command_told, risk_rows
from ontomask.report.reported import Reported
from ontomask.report.requirements import AskedRow, AttackRow, asked_rows, attack_rows
from ontomask.report.statistics import (
    Compared,
    ComparedPair,
    JointBeforeAndAfter,
    correlation_rows,
    joint_rows,
    joints,
    statistics_rows,
)
from ontomask.report.steps import StayedRow, StepRow, stayed_rows, step_rows
from ontomask.report.summary import kind_in_words, summary
from ontomask.report.to_know import mixed_text, to_know
from ontomask.tables.options import digest_of_file

if TYPE_CHECKING:
    from ontomask.release import Release, Written

_HERE = Path(__file__).parent
_CLASS_BINS = ((1, 1), (2, 2), (3, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, None))


def render_report(
    release: Release,
    figures: Mapping[str, Any] | None = None,
    comparison: Sequence[Mapping[str, Any]] | None = None,
    internal: bool = False,
    warnings: Sequence[ReleaseWarning] | None = None,
    command: Sequence[str] | None = None,
    written: Written | None = None,
) -> str:
    """The report as one HTML text that needs nothing else.

    Parameters
    ----------
    figures
        Figures of the release under flat names (`om.evaluate`); None: computed here.
    comparison
        Figures of other methods and k on the same table, each with `method` and `k`.
    internal
        Also tell values that fewer than k people have. Such a report must not leave the house.
    warnings
        What is warned of (`om.warnings_of`); None: found out here.
    command
        What was typed; None: it was made from Python.
    written
        The file of the release and its digest, if it is written.
    """
    found = dict(figures) if figures and "srl" in figures else release.figures | figures_of(release)
    told = warnings_of(release, found) if warnings is None else warnings
    page = _Page(release, found, internal, told, command, written)
    environment = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": words.percent,
        "number": words.number,
        "people": people,
        "listed": words.listed,
    }
    text = environment.get_template("page.html.jinja").render(
        page=page,
        style=Markup((_HERE / "style.css").read_text(encoding="utf-8") + TREE_RULES),
        comparison=Comparison(comparison, release.plan) if comparison else None,
        how_linked=words.HOW_LINKED,
        examples=examples,
        mixed_text=mixed_text,
    )
    return many_lines(text)


def write_report(
    path: str | Path,
    release: Release,
    figures: Mapping[str, Any] | None = None,
    comparison: Sequence[Mapping[str, Any]] | None = None,
    internal: bool = False,
) -> None:
    """Write the report of a release; see `render_report`."""
    check_apart([Path(path)], release.inputs)
    text = render_report(release, figures, comparison, internal)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


class _Page(Reported):
    """What the template asks for, section by section."""

    def __init__(
        self,
        release: Release,
        figures: Mapping[str, Any],
        internal: bool,
        warnings: Sequence[ReleaseWarning],
        command: Sequence[str] | None,
        written: Written | None,
    ) -> None:
        super().__init__(release, figures, internal)
        self.command, self.written = command_told(release, command, internal), written
        self.manifest, self.table = release.manifest, release.data
        self.source = release.source.label if internal else release.source.name
        self.summary, self.kind = summary(self), kind_in_words(self)
        self.to_know = to_know(self)
        self._warnings = warnings

    # ------------------------------------------------------------------ warnings

    def warnings(self) -> list[str]:
        """What is to be looked at and does not stand beside the badge."""
        return [one.text for one in self._warnings if one.level != "note" and not self._is_above(one)]

    def _is_above(self, warning: ReleaseWarning) -> bool:
        """Whether a warning is told at the top: it is serious, or somebody accepted it."""
        return warning.is_serious or self._is_accepted(warning)

    @property
    def is_warned_of_above(self) -> bool:
        return any(one.level != "note" and self._is_above(one) for one in self._warnings)

    def notes(self) -> list[str]:
        """What is good to know and needs nobody to do anything, as sentences."""
        texts = [one.text for one in self._warnings if one.level == "note"]
        return [f"{text[0].upper()}{text[1:]}." for text in texts]

    def _is_accepted(self, warning: ReleaseWarning) -> bool:
        """Whether the plan says by name that somebody looked at it."""
        return warning.name in self.plan.accepted

    def serious(self) -> list[str]:
        """Warnings that stand beside the badge: nobody accepted them."""
        return [one.text for one in self._warnings if one.is_serious and not self._is_accepted(one)]

    def accepted(self) -> list[tuple[str, str]]:
        """Warnings that somebody accepted, serious ones first, and why: who signs is told of them first."""
        reasons = (self.plan.sign_off and self.plan.sign_off.reasons) or {}
        found = [one for one in self._warnings if one.level != "note" and self._is_accepted(one)]
        return [(one.text, reasons.get(one.name, "")) for one in found]

    def sign_off(self) -> dict[str, str]:
        """What who signs is told, and the lines to be filled in by hand."""
        told = (self.plan.sign_off or SignOff()).lines()
        return {**told, "Date": "", "Name": "", "Signature": ""}

    @property
    def is_clear(self) -> bool:
        """Whether the badge may be green: the requirements hold and nothing serious is to be told."""
        holds = self.gives_k and (bool(self.promised) or self.is_k_anonymous)
        return holds and self.k > 1 and not self.serious()

    # ------------------------------------------------------------------ plan and linking

    def plan_rows(self) -> list[tuple[str, str, str]]:
        return [
            (name, words.role_in_words(a), words.column_in_words(a) if a.role == "quasi-identifier" else "")
            for name, a in self.plan.attributes.items()
        ]

    @property
    def anything(self) -> list[str]:
        """The columns in which a released value may be any."""
        return [column.name for column in self.columns if column.may_be_anything]

    @property
    def measure_text(self) -> str:
        told, method = words.measure_in_words(self.plan.method.measure), self.plan.method.own
        if method.measure in (None, self.plan.method.measure):
            return f"Distances in meaning count {told}."
        masked = words.measure_in_words(method.measure or "")
        return f"The method masked by {masked}; losses and risks count {told}."

    def linking(self) -> list[LinkingRow]:
        """Of each column of words, how its values were linked; spellings of one value are one."""
        return [
            linking_row(column.name, column.ontology.name, column.links, self.internal)
            for column in self.release.columns
            if column.links is not None and column.ontology is not None
        ]

    @property
    def unmapped_text(self) -> str:
        return words.UNMAPPED[self.plan.unmapped]

    # ------------------------------------------------------------------ requirements and attacks

    def asked(self) -> list[AskedRow]:
        return asked_rows(self.plan.requirements(), self.release.figures)

    def attacks(self) -> list[AttackRow]:
        return list(attack_rows(self.figures, self.confidential))

    def statistics(self) -> list[Compared]:
        kinds = {name: str(one.kind) for name, one in self.plan.attributes.items()}
        return list(statistics_rows(self.columns, kinds))

    def joint(self) -> list[ComparedPair]:
        return list(joint_rows(self._joints))

    def correlations(self) -> tuple[list[Compared], list[str]]:
        """Of masked columns with each other and with those beside them; which of these are left out."""
        beside, left_out = correlations_beside(self.release, self.columns[0].least)
        return list(correlation_rows(self._joints, beside)), left_out

    @cached_property
    def _joints(self) -> list[JointBeforeAndAfter]:
        return list(joints(self.columns, self.release.view))

    def risks(self) -> list[RiskRow]:
        return risk_rows(self.sizes_before, self.sizes_after)

    # ------------------------------------------------------------------ steps of the method

    def steps(self) -> list[StepRow]:
        return step_rows(self.release.trace)

    def stayed(self) -> list[StayedRow]:
        return stayed_rows(self.release.trace)

    # ------------------------------------------------------------------ charts

    def risk_chart(self) -> Markup:
        labels = ["by meaning (SRL)", "by equal values (MRL)", "from the release (RL)"]
        after = [float(self.figures[name]) for name in ("srl", "mrl", "rl")]
        return Markup(
            charts.grouped_bars(
                labels,
                {"before": [self.before] * 3, "after": after, "blind guess": [self.blind] * 3},
                title=f"{self.who.capitalize()} an intruder finds, before and after masking",
                desc=f"Before masking {words.percent(self.before)}. After: "
                + ", ".join(f"{a} {words.percent(x)}" for a, x in zip(labels, after, strict=True))
                + f". A blind guess scores {words.percent(self.blind)}.",
                show=words.percent,
                limit=100,
            )
        )

    def loss_chart(self) -> Markup:
        values = [c.mean_distance for c in self.by_loss]
        names = [c.name for c in self.by_loss]
        return Markup(
            charts.bars(
                names,
                values,
                title="Meaning lost per column",
                desc="Mean distance of masked to original values, in percent of the greatest possible: "
                + ", ".join(f"{n} {words.percent(v)}" for n, v in zip(names, values, strict=True)),
                show=words.percent,
            )
        )

    def class_chart(self) -> Markup:
        rows = self.class_rows()
        return Markup(
            charts.histogram(
                [name for name, _, _ in rows],
                {"before": [b for _, b, _ in rows], "after": [a for _, _, a in rows]},
                title=f"How many {self.who} share a combination of values",
                desc="; ".join(f"{name}: {b:,} {self.who} before, {a:,} after" for name, b, a in rows),
                x_title=f"{self.who} that share the combination",
                y_title=self.who,
            )
        )

    def class_rows(self) -> list[tuple[str, int, int]]:
        """(size of the class, people in such classes before, after)."""

        def people_in(sizes: np.ndarray[Any, Any], low: int, high: int | None) -> int:
            return int(sizes[(sizes >= low) & (sizes <= (high or sizes.max(initial=low)))].sum())

        found = [
            (
                f"{low}" if low == high else f"{low}–{high}" if high else f"{low}+",
                people_in(self.sizes_before, low, high),
                people_in(self.sizes_after, low, high),
            )
            for low, high in _CLASS_BINS
        ]
        while found and not (found[-1][1] or found[-1][2]):
            found.pop()
        return found

    def values_chart(self, changes: Changes) -> Markup:
        if changes.is_number:
            names, before, after = changes.number_bins()
            told = [
                f"{n}: {'few' if b is None else b} before, {a} after"
                for n, b, a in zip(names, before, after, strict=True)
            ]
            return Markup(
                charts.histogram(
                    names,
                    {"before": before, "after": after},
                    title=f"Distribution of {changes.name} before and after",
                    desc="; ".join(told),
                    x_title=changes.name,
                    y_title=self.who,
                )
            )
        rows = changes.top_values()
        return Markup(
            charts.grouped_bars(
                [value for value, _, _ in rows],
                {"before": [b for _, b, _ in rows], "after": [a for _, _, a in rows]},
                title=f"Most frequent values of {changes.name} before and after",
                desc="; ".join(f"{v}: {'few' if b is None else b} before, {a} after" for v, b, a in rows),
                absent=f"fewer than {self.k}",
            )
        )

    def members(self, changes: Changes) -> list[MemberRow]:
        """Of a column of sets, how many people have each single value."""
        separator = self.plan.attributes[changes.name].several
        return [] if separator is None else member_rows(changes, separator)

    def values_caption(self, changes: Changes) -> str:
        """Which values are not in the chart, if any."""
        left_out = [] if changes.is_number else changes.left_out(changes.top_values())
        return f"Shown are {words.listed(left_out)}." if left_out else ""

    def tree(self, changes: Changes) -> tuple[str, Markup] | None:
        found = None if changes.column.hierarchy else neighbourhood(changes)  # which is drawn as a whole
        if found is None:
            return None
        after, nodes = found
        chart = charts.tree(
            nodes,
            title=f"Neighbourhood of “{after}” in the hierarchy of {changes.name}",
            desc="From general to specific: "
            + "; ".join(
                f"{'level ' + str(n.depth)} {n.text}{', ' + n.remark if n.remark else ''}" for n in nodes
            ),
        )
        return after, Markup(chart)

    @cached_property
    def hierarchies(self) -> list[tuple[str, Drawn, Markup]]:
        """Per column with a hierarchy that may be told: its name, what is drawn, the drawing."""
        measure = self.plan.make_measure()
        told = [(column.name, hierarchy_told(column, measure)) for column in self.columns]
        return [
            (name, drawn, Markup(as_svg(drawn, with_style=False)))
            for name, drawn in told
            if drawn is not None
        ]

    @staticmethod
    def levels_of(drawn: Drawn) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Headings and rows of the table of a hierarchy's levels."""
        return level_headings(drawn), level_rows(drawn)

    # ------------------------------------------------------------------ all measures

    def measures(self) -> list[tuple[str, str, str]]:
        """(name, figure, meaning) of every measure that stands for the table or a confidential column."""
        return named_figures(single_numbers(self.figures), self.confidential)

    @property
    def mappings(self) -> list[tuple[str, str, str, str]]:
        """What it is, column, name and digest of each file of the user's that says what values mean."""
        named = [
            (what, name, file)
            for name, one in self.plan.attributes.items()
            for what, file in (("Mapping", one.mapping), ("Synonyms", one.synonyms))
            if file
        ]
        paths = [(what, name, self.plan.path_of(file)) for what, name, file in named]
        return [(what, name, path.name, digest_of_file(path)) for what, name, path in paths if path.is_file()]


def named_figures(figures: Mapping[str, float], columns: Sequence[str]) -> list[tuple[str, str, str]]:
    """Figures with a name for people, in the order of their register."""
    rows = []
    for key, figure in words.titled_figures().items():
        for column in ("", *columns):
            value = figures.get(f"{key}.{column}" if column else key)
            if value is not None:
                shown = words.percent(value) if figure.unit == "%" else words.number(value)
                rows.append((f"{figure.title} of {column}" if column else figure.title, shown, figure.words))
    return rows
