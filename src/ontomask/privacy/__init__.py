"""The models that check a released table: k-anonymity, k-map, l-diversity, t-closeness, LKC, class risks.

They see class numbers, value codes and counts; which labels these are is not their business.
"""

from __future__ import annotations

from ontomask.privacy.anonymity import KAnonymity
from ontomask.privacy.classes import average_class_size, class_risks, discernibility, k_anonymity, k_map
from ontomask.privacy.closeness import Closeness, equal_closeness, ordered_closeness, semantic_closeness
from ontomask.privacy.confidential import Confidential
from ontomask.privacy.disclosure import Disclosure
from ontomask.privacy.diversity import (
    Diversity,
    distinct_diversity,
    entropy_diversity,
    recursive_c,
    recursive_diversity,
)
from ontomask.privacy.known_values import KnownValues, Lkc, known_values_privacy
from ontomask.privacy.likeness import Likeness
from ontomask.privacy.population import matching_records
from ontomask.privacy.requirement import Classes, Requirement, least_size, violating

__all__ = [
    "REQUIREMENTS",
    "Classes",
    "Closeness",
    "Confidential",
    "Disclosure",
    "Diversity",
    "KAnonymity",
    "KnownValues",
    "Likeness",
    "Lkc",
    "Requirement",
    "average_class_size",
    "class_risks",
    "discernibility",
    "distinct_diversity",
    "entropy_diversity",
    "equal_closeness",
    "k_anonymity",
    "k_map",
    "known_values_privacy",
    "least_size",
    "matching_records",
    "ordered_closeness",
    "recursive_c",
    "recursive_diversity",
    "semantic_closeness",
    "violating",
]

REQUIREMENTS: dict[str, type[Requirement]] = {
    kind.key: kind for kind in (KAnonymity, Diversity, Closeness, Likeness, Disclosure, KnownValues)
}
