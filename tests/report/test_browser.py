"""The page in a real Chromium, cut off from the network: it opens, complains of nothing, and prints."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ontomask.pipeline import Release
from ontomask.report import write_report
from report.html_of import Html

CHROMIUM = os.environ.get("ONTOMASK_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="no chromium (Debian package `chromium`)")


@pytest.fixture(scope="module")
def page(
    tmp_path_factory: pytest.TempPathFactory, release: Release, comparison: list[dict[str, Any]]
) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_report(path, release, comparison=comparison)
    return path


def chromium(page: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [
        str(CHROMIUM),
        *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        "--host-resolver-rules=MAP * ~NOTFOUND",
        "--enable-logging=stderr",
        f"--user-data-dir={folder / 'profile'}",
        f"--log-net-log={folder / 'net.json'}",
        *options,
        page.as_uri(),
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def requested(log: Path) -> list[str]:
    """Addresses that the browser asked for while the page was open, its own housekeeping apart."""
    events = json.loads(log.read_text())["events"]
    urls = [e["params"]["url"] for e in events if "url" in e.get("params", {})]
    return [url for url in urls if "google" not in url and "gvt1" not in url]


def test_opens_offline_without_complaint(page: Path, tmp_path: Path) -> None:
    done = chromium(page, tmp_path, "--dump-dom")
    assert "CONSOLE" not in done.stderr, done.stderr
    opened, written = Html(done.stdout), Html(page.read_text(encoding="utf-8"))
    assert len(opened.named("svg")) == len(written.named("svg")) > 10
    assert [u for u in requested(tmp_path / "net.json") if u.startswith("http")] == []


def test_a_complaint_would_be_noticed(tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text("<!doctype html><script>console.error('here')</script>")
    assert "CONSOLE" in chromium(bad, tmp_path, "--dump-dom").stderr


def test_a_request_would_be_noticed(tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text("<!doctype html><img src='http://nowhere.invalid/x.png'>")
    chromium(bad, tmp_path, "--dump-dom")
    assert any("nowhere.invalid" in url for url in requested(tmp_path / "net.json"))


def test_prints_on_several_pages(page: Path, tmp_path: Path) -> None:
    chromium(page, tmp_path, f"--print-to-pdf={tmp_path / 'page.pdf'}")
    assert 3 <= (tmp_path / "page.pdf").read_bytes().count(b"/Type /Page\n") <= 40
