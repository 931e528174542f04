"""Another release of the same people beside this one: what both together give away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ontomask.evaluation.subject import Family, Figure, Subject
from ontomask.privacy import k_anonymity


def joint_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, Any]:
    """Sizes of the classes that both releases leave, and values that only both make certain."""
    assert subject.other is not None
    joint = subject.other.joint
    sizes, n = joint.counts, max(int(joint.counts.sum()), 1)
    figures: dict[str, Any] = {
        "joint_people": int(sizes.sum()),
        "joint_k": k_anonymity(sizes),
        "joint_mean": float(sizes @ sizes) / n,
        "joint_singled_out": 100 * int((sizes == 1).sum()) / n,
        "joint_below_k": None if subject.k is None else 100 * int(sizes[sizes < subject.k].sum()) / n,
        "other_k": subject.other.k,
    }
    for name, (values, others) in subject.other.confidential.items():
        certain = joint.certain_together(values, others)
        figures[f"joint_certain.{name}"] = 100 * int(sizes[certain].sum()) / n
    return figures


JOINT = Family(
    joint_figures,
    (
        Figure("joint_people", "People in both releases"),
        Figure("other_k", "k of the other release", "", "the size of its smallest class"),
        Figure("joint_k", "k of both releases together", "", "the fewest people whom both leave possible"),
        Figure("joint_mean", "People whom both leave possible", "", "mean over people"),
        Figure("joint_singled_out", "People whom both releases single out", "%"),
        Figure("joint_below_k", "People whom both leave fewer than k", "%"),
        Figure(
            "joint_certain.A",
            "Values that only both releases give away",
            "%",
            "people whose value is certain to whoever has both, and to nobody who has one",
        ),
    ),
    needs=("other",),
)
