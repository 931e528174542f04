"""Blocks as tasks of Spark: the same lines as in this process, a release that is k-anonymous, deaths of workers."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ontomask as om
from blocks.killing import Killing
from blocks.people import Stored, people, plan_of
from ontomask.blocks import spark
from ontomask.blocks.spark import SparkBlocks
from ontomask.tables.engine import EngineTable

pytest.importorskip("pyspark", reason="needs pyspark")
pytestmark = pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")

N, SIZE = 400, 60
MASKED = ["job", "age", "place"]
