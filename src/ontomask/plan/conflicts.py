"""Settings of a plan that do not go together across its sections: method, privacy, columns, release.

Each is told with the section that it stands in. What a section can see alone, it says itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ontomask.errors import did_you_mean
from ontomask.privacy import Closeness, KAnonymity, KMap, KnownValues

if TYPE_CHECKING:
    from ontomask.plan.plan import Plan

Conflict = tuple[str, str]


def conflicts_of(plan: Plan) -> Iterator[Conflict]:
    """(section, what is wrong) for settings of a plan that do not go together."""
    yield from (("together", text) for text in _together(plan))
    for name in (plan.sign_off and plan.sign_off.reasons) or ():
        if name not in (plan.accept or ()):
            yield "sign_off", f"reasons: {name!r} is not in `accept`; accept it, or remove the reason"
    if plan.privacy.suppress and not plan.method.own.may_suppress:
        yield "privacy", f"suppress: {plan.method.name} leaves out whatever it must; remove it"
    yield from _central(plan)
    yield from conflicts_without_k(plan)
    yield from (("privacy", text) for text in _unit(plan))
    yield from (("privacy", text) for text in _requirements(plan))
    yield from (("method", text) for text in _purpose(plan))
    yield from _coded(plan)
    yield from _several(plan)
    yield from (("method", text) for text in _blocks(plan))
    if plan.privacy.key_file is not None and not plan.with_role("pseudonym"):
        yield (
            "privacy",
            "key_file: no column has role: pseudonym, so it has no use; remove it",
        )


def _blocks(plan: Plan) -> Iterator[str]:
    """What cannot be judged on a part of the table, where it is masked in blocks."""
    if plan.method.blocks is None:
        return
    for one in plan.privacy.requirements:
        if one.is_relative:
            yield f"blocks: {one.key} compares groups with the whole table, and a block is a part; remove one"
    for name in plan.with_role("quasi-identifier"):
        if math.isfinite(plan.attributes[name].limit):
            limit = "keep" if plan.attributes[name].limit == 0 else "max_loss"
            yield f"blocks: {limit} of {name!r} may need rows of other blocks; remove one"
    for name, key in plan.followers.items():
        yield (
            f"blocks: {name!r} follows {key!r}, and what it says depends on all rows; drop it (role: "
            "identifier), or remove blocks"
        )


def _several(plan: Plan) -> Iterator[Conflict]:
    """Sets of words with a method that climbs hierarchies."""
    if not plan.method.own.has_hierarchies:
        return
    for name in plan.with_role("quasi-identifier"):
        if plan.attributes[name].several is not None:
            yield (
                "attributes",
                f"{name}.several: {plan.method.name} climbs hierarchies, and a set of words has none; use "
                "another method, such as sa-mdav with release: truthful",
            )


def _central(plan: Plan) -> Iterator[Conflict]:
    """What is to be central with a method that writes only what is true."""
    if not plan.method.own.is_truthful:
        return
    why = f"{plan.method.name} writes only what is true, so nothing is central; remove it"
    if plan.release == "central":
        yield "release", why
    for name in [name for name, one in plan.attributes.items() if one.release == "central"]:
        yield "attributes", f"{name}.release: {why}"


def conflicts_without_k(plan: Plan) -> Iterator[Conflict]:
    """What is asked of a method that gives no k: nothing but the size of its groups, if it forms any."""
    method = plan.method.own
    if method.gives_k:
        return
    for key in sorted(plan.privacy.given - {"key_file"}):
        if key != "k":
            yield "privacy", f"{key}: {plan.promised}, and promises nothing else; remove it"
        elif not method.has_groups:
            yield "privacy", f"k: {plan.promised}, and forms no groups; remove it"
    why = f"{plan.method.name} writes values that nobody vouches for; remove it, or use another method"
    if plan.release == "truthful":
        yield "release", f"truthful: {why}"
    for name in [name for name, one in plan.attributes.items() if one.release == "truthful"]:
        yield "attributes", f"{name}.release: {why}"


def _unit(plan: Plan) -> Iterator[str]:
    """The column that tells whose row it is."""
    unit = plan.privacy.unit
    if unit is None:
        return
    if unit in plan.with_role("quasi-identifier"):
        yield f"unit: {unit!r} is masked; name the column that tells whose row it is"
    if not any(isinstance(one, (KAnonymity, KnownValues)) for one in plan.privacy.requirements):
        yield "unit: only k and lkc count people; ask for k, too, or remove it"


def _requirements(plan: Plan) -> Iterator[str]:
    """The columns that requirements look at."""
    for one in plan.privacy.requirements:
        is_about_nothing = bool(plan.attributes) and not plan.with_role("confidential")
        if isinstance(one, KnownValues) and one.C < 1 and is_about_nothing:
            yield (
                f"lkc: C = {one.C:g} is about confidential columns, and there is none; give a column role: "
                "confidential, or remove C"
            )
        for name in [name for name in one.needs if name != plan.privacy.unit]:
            if reason := _why_not_beside(plan, name):
                yield f"{one.key}: {reason}"
        if isinstance(one, Closeness) and one.ground == "semantic" and one.column in plan.attributes:
            column = plan.attributes[one.column]
            if column.kind != "nominal" or column.ontology is None:
                yield f"t: {one.column!r} is semantic only with an ontology; give it one"


def _purpose(plan: Plan) -> Iterator[str]:
    """The target of a method, and the columns that it ranks."""
    for name in plan.method.own.needs:
        if reason := _why_not_beside(plan, name, "study"):
            yield f"target: {reason}"
    masked = plan.with_role("quasi-identifier")
    for key in ("mim", "terms"):
        for name in getattr(plan.method.own, key, None) or ():
            if name not in masked:
                remedy = did_you_mean(name, masked).removeprefix("; ") or "name one that is, or remove it"
                yield f"{key}: {name!r} is not a quasi-identifier; {remedy}"


def _why_not_beside(plan: Plan, name: str, what: str = "protect") -> str | None:
    """Why requirements or the method cannot look at a column; None if they can."""
    if name not in plan.attributes:
        return f"{name!r} is not named, so it is dropped; give it a role" if plan.others == "drop" else None
    role = plan.attributes[name].role
    if role == "quasi-identifier":
        return f"{name!r} is masked; name a column that is released as it is"
    if role == "identifier":
        return f"{name!r} is dropped, so there is nothing to {what}; remove it, or give another role"
    if role == "pseudonym":
        return f"{name!r} is written as pseudonyms; name a column that is released as it is"
    return None


def _coded(plan: Plan) -> Iterator[Conflict]:
    """Masked numbers that are cut off or rounded, beside what needs them as they were."""
    for name in [name for name in plan.with_role("quasi-identifier") if plan.attributes[name].is_coded]:
        if plan.is_truthful(name) or plan.method.own.has_hierarchies:
            reason = "a number that is cut off or rounded is not true; remove it, or release: central"
            yield "attributes", f"{name}: {reason}"
        elif any(isinstance(one, KMap) for one in plan.privacy.requirements):
            yield "privacy", f"k_map: {name!r} is cut off or rounded, the population is not; remove one"


def _together(plan: Plan) -> Iterator[str]:
    """Columns that say the same: a key that is masked, and others that follow it or are dropped."""
    seen: set[str] = set()
    for first, *others in plan.together or ():
        if not others:
            yield f"{first!r} stands alone; name the columns that follow it, or remove it"
        for name in (first, *others):
            if name in seen:
                yield f"{name!r} stands there twice; name it once"
            elif name not in plan.attributes:
                yield f"{name!r} has no role; name it in attributes"
            seen.add(name)
        roles = {name: plan.attributes[name].role for name in (first, *others) if name in plan.attributes}
        if roles.get(first) not in ("quasi-identifier", "undecided", None):
            yield f"{first!r} is followed by others, so it must have role: quasi-identifier"
        for name in others:
            if roles.get(name) in ("quasi-identifier", "confidential", "pseudonym"):
                yield f"{name!r} follows {first!r}: role: other, or role: identifier to drop it"
