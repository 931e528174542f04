from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from web.browsing import CHROMIUM, started


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    pytest.importorskip("starlette", reason="the extra web is not installed")
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM:
        pytest.skip("no chromium (Debian package `chromium`)")
    with started() as browser:
        yield browser
