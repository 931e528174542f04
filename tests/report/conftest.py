"""Releases to report on: the sample of patients by several methods, and small made-up tables."""

from __future__ import annotations

from typing import Any

import pytest

import ontomask as om
from ontomask import datasets
from ontomask.assessment import figures_of
from ontomask.pipeline import Release
from ontomask.plan import Plan


def patients(**changes: Any) -> Release:
    plan = Plan.load(datasets.path("patients.yaml"))
    return om.anonymize(datasets.path("patients.csv"), plan.replace(**changes) if changes else plan)


@pytest.fixture(scope="session")
def release() -> Release:
    return patients()


@pytest.fixture(scope="session")
def comparison() -> list[dict[str, Any]]:
    asked = [("sa-mdav", 5), ("sa-mdav", 10), ("recoding", 5), ("recoding", 10), ("suppression", 2)]
    plan = Plan.load(datasets.path("patients.yaml")).as_dict()
    rows = []
    for method, k in asked:
        settings = {**plan, "method": {"name": method}, "privacy": {"k": k}}
        made = om.anonymize(
            datasets.path("patients.csv"),
            Plan.from_dict(settings, folder=datasets.path("patients.csv").parent),
        )
        rows.append({"method": method, **figures_of(made), "k": k})
    return rows
