"""Plain words for what a plan, a method or a figure means, for readers who never saw one."""

from __future__ import annotations

from collections.abc import Sequence

from ontomask.plan import AttributePlan, Plan

NO_BREAK = "\N{NO-BREAK SPACE}"

MEASURES = {
    "logsc": "how many of their superconcepts two concepts do not share (log of non-common superconcepts)",
    "path": "how many is-a links lie between two concepts",
    "lch": "how many is-a links lie between two concepts (Leacock and Chodorow)",
    "wup": "how deep two concepts' nearest common superconcept lies (Wu and Palmer)",
    "equality": "whether two values are equal, without meaning",
}

HOW_LINKED = {
    "mapping": "by a mapping file",
    "id": "by identifier",
    "crossmap": "by a crossmap",
    "exact": "exact word",
    "normalised": "another form of the word",
    "head": "last word of a phrase",
    "ambiguous": "not linked: several meanings",
    "suggested": "not linked: suggestions only",
    "none": "not linked: unknown word",
    "missing": "missing",
}

UNMAPPED = {
    "root": "the most general concept stood for them",
    "own-leaf": "each stood for a concept of its own, unlike all others",
    "suppress": "they were treated as missing",
    "error": "",
}

ROLES = {
    "identifier": "identifier: dropped",
    "quasi-identifier": "known to outsiders: masked",
    "confidential": "confidential: released as it is",
    "other": "released as it is",
}

# Flat name of a figure: its name for people, its unit, what it says. Names with a dot are per column.
FIGURES: dict[str, tuple[str, str, str]] = {
    "n": ("Records", "", "people in the original table"),
    "suppressed": ("Suppressed records", "", "left out or blanked"),
    "k_asked": ("k asked for", "", "the smallest class that the plan allows"),
    "k": ("k reached", "", "the size of the smallest class of the release"),
    "k_before": ("k before", "", "the size of the smallest class of the original table"),
    "classes": ("Classes", "", "different combinations of masked values"),
    "tuples_before": ("Combinations before", "", "different combinations of original values"),
    "average_class_size": ("Average class size, C_avg", "", "mean class size as a multiple of k; 1 is ideal"),
    "discernibility": (
        "Discernibility, DM",
        "",
        "sum of squared class sizes; lower tells people apart better",
    ),
    "semantic_loss": ("Semantic loss", "", "mean distance in meaning between original and masked values"),
    "information_loss": (
        "Information loss, L",
        "%",
        "100 SSE / SST: 0 is untouched; 100 is as bad as giving everybody the same, most central record",
    ),
    "sse": ("SSE", "", "sum of squared record distances between original and masked"),
    "sst": ("SST", "", "the same if everybody had the most central record"),
    "ncp": (
        "NCP",
        "",
        "normalised certainty penalty, 0 to 1: share of a column's values that a masked one covers",
    ),
    "prec": ("Precision, Prec", "", "1 is untouched; 0 is everything at the top of its hierarchy"),
    "kl_divergence": (
        "KL divergence",
        "",
        "how far the frequencies of original records are from the released ones",
    ),
    "kl_absent": ("Original combinations no longer there", "", ""),
    "covariance_change": (
        "Change of covariances",
        "",
        "mean relative change, words included; 0 is unchanged",
    ),
    "srl": (
        "Semantic record linkage, SRL",
        "%",
        "people an intruder finds who knows their original values and picks the record closest in meaning",
    ),
    "mrl": ("Matching record linkage, MRL", "%", "the same by exactly equal values only"),
    "rl": (
        "Record linkage, RL",
        "%",
        "released records traced back to their original by exactly equal values",
    ),
    "linkage_before": ("Linkage before masking", "%", "SRL, MRL and RL of the original table"),
    "srl_blind": ("Blind guess", "%", "what picking a record at random scores"),
    "score": ("Score", "", "half information loss, half SRL; lower is a better balance"),
    "seconds": ("Seconds", "", "time to mask the table on this machine"),
    "prosecutor_max": ("Highest risk of a person", "%", "1 / smallest class"),
    "prosecutor_mean": ("Mean risk of a person", "%", "mean of 1 / class size over people"),
    "journalist_max": ("Highest risk, drawn from a population", "%", "1 / smallest class of the population"),
    "marketer": ("Share of people found when all are linked", "%", "by class sizes"),
    "records_below_k": ("People in classes below k", "%", ""),
    "sample_uniques": ("People with a combination to themselves", "%", ""),
    "prosecutor_max_before": ("Highest risk of a person before", "%", ""),
    "sample_uniques_before": ("People with a combination to themselves before", "%", ""),
    "records_below_k_before": ("People in classes below k before", "%", ""),
    "l_distinct": ("l-diversity", "", "different values of this column in the least varied class"),
    "l_entropy": ("Entropy l-diversity", "", "the same, weighing how evenly they are spread"),
    "l_recursive_c": ("Recursive (c, 2)-diversity", "", "the smallest c that holds"),
    "t_equal": ("t-closeness", "", "largest difference between a class and the whole table, 0 to 1"),
    "t_ordered": ("t-closeness, ordered", "", "the same, weighing how far values are apart in order"),
    "t_semantic": ("t-closeness, semantic", "", "the same, weighing how far values are apart in meaning"),
    "confidence": ("Surest inference", "%", "largest share of one value in a class"),
    "confidence_blind": (
        "Surest inference, blind",
        "%",
        "share of the most frequent value in the whole table",
    ),
}


def listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)


def number(x: float) -> str:
    """A figure as it is read: whole numbers with thousands, others with three significant digits."""
    if float(x).is_integer():
        return f"{x:,.0f}"
    return f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.3g}"


def percent(x: float) -> str:
    """A percentage, more exact the smaller it is.

    >>> [percent(x).replace(NO_BREAK, " ") for x in (89.95, 6.86, 0.1026, 0.0033, 99.6, 100.0)]
    ['90 %', '6.9 %', '0.10 %', '0.0033 %', '99.6 %', '100 %']
    """
    if x == 0 or x >= 99.95:
        digits = f"{x:.0f}"
    elif x >= 10:
        digits = f"{x:.1f}" if x > 99 else f"{x:.0f}"
    else:
        digits = f"{x:.1f}" if x >= 1 else f"{x:.2f}" if x >= 0.01 else f"{x:.2g}"
    return f"{digits}{NO_BREAK}%"


def people(n: int) -> str:
    """`1 person`, `12 people`."""
    return "1 person" if n == 1 else f"{n:,} people"


def were(n: int) -> str:
    """`1 person was`, `12 people were`."""
    return f"{people(n)} {'was' if n == 1 else 'were'}"


def method_in_words(plan: Plan) -> str:
    """What the method did."""
    return plan.method.own.in_words(plan.least_size)


def measure_in_words(name: str) -> str:
    """What closeness in meaning counts."""
    return MEASURES.get(name, f"the measure {name}")


def column_in_words(settings: AttributePlan) -> str:
    """What kind of values a column has and how they were compared."""
    if settings.kind == "numeric":
        said = "numbers, compared by their difference"
    elif settings.kind == "ordinal":
        said = f"ordered categories ({len(settings.order or ())} steps), compared by their ranks"
    else:
        said = f"words, compared by their meaning in {settings.ontology or 'wordnet'}"
        if settings.under:
            said += f" (senses below “{settings.under}” only)"
        if settings.mapping:
            said += ", some values by a mapping file"
    return said + (f"; weight {settings.weight:g}" if settings.weight != 1 else "")
