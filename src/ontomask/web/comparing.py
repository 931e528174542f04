"""What can be compared and chosen, as the step Protection shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from ontomask.assessment.comparison import usual_k, usual_methods, why_not
from ontomask.errors import Fault
from ontomask.methods import METHODS
from ontomask.plan import Plan
from ontomask.plan.editing import keys_removed
from ontomask.report import charts, words
from ontomask.report.choices import Choice
from ontomask.report.comparison import Comparison
from ontomask.web.trying import last_compared
from ontomask.web.work import Work


class Offer(NamedTuple):
    """A method that can be compared, or why it cannot."""

    name: str
    words: str
    gives_k: bool
    is_asked: bool
    refused: tuple[Fault, ...]


def offers_of(work: Work, plan: Plan, methods: Sequence[str] = (), k: str = "") -> dict[str, Any]:
    """The methods, those ticked that were compared last or are usual, and the k to compare."""
    before = last_compared(work)
    rows = work.profile.rows if work.profile else 1_000_000
    ticked = methods or (before.methods if before else usual_methods(plan))
    sizes = before.k if before else usual_k(plan, rows)
    offers = []
    for name, kind in METHODS.items():
        refused = why_not(plan, name)
        method = plan.method.own if name == plan.method.name else kind()
        told = method.in_words(max(plan.least_size, 2))
        offers.append(Offer(name, told, method.gives_k, name in ticked, refused.faults if refused else ()))
    return {
        "offers": offers,
        "k_typed": k or ", ".join(map(str, sizes)),
        "compare_faults": (),
    }


def removed_by(plan: Plan, one: Choice) -> list[str]:
    """What the plan asks for and would no longer, if this was chosen; options belong to their method."""
    gone = keys_removed(plan.as_asked(only_given=True), one.settings)
    return [
        " of ".join(reversed(path[1:])) if path[0] == "attributes" else path[-1]
        for path in gone
        if path[0] != "method"
    ]


def map_of(found: Sequence[Choice], plan: Plan, address: Callable[[str], str]) -> Markup | None:
    """The risk-utility map, each point with the address where it is looked at; None if nothing was found."""
    rows = [one.row for one in found if one.row]
    if not rows:
        return None
    at = {(one.method, "no k" if one.k is None else f"{one.k}"): one for one in found}

    def link(method: str, label: str) -> charts.Link:
        one = at[method, label]
        told = f"{words.percent(one.row['information_loss'])} lost, {words.percent(one.row['srl'])} found"
        return charts.Link(address(one.digest[:12]), f"{method}, {_k_told(one)}: {told}")

    return Comparison(rows, plan).map(link)


def _k_told(one: Choice) -> str:
    return "no k" if one.k is None else f"k = {one.k}" if one.gives_k else f"no k, groups of {one.k}"
