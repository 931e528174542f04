"""Requests to the pages without a server between: what a browser would send, and what comes back."""

from __future__ import annotations

import asyncio
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from ontomask.web.app import IN_PLACE
from ontomask.web.guard import Guard
from ontomask.web.working import Job

ADDRESS = "127.0.0.1:8765"
ORIGIN = f"http://{ADDRESS}"


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    text: str


def ask(
    app: Guard,
    path: str,
    form: dict[str, str] | list[tuple[str, str]] | bytes | None = None,
    *,
    cookie: str = "",
    host: str = ADDRESS,
    origin: str | None = ORIGIN,
    method: str = "",
    in_place: bool = False,
) -> Answer:
    """One request; with a form it is a POST."""
    parts = urlsplit(path)
    given = {"host": host, "cookie": cookie, "origin": origin or "", IN_PLACE: "yes" if in_place else ""}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method or ("GET" if form is None else "POST"),
        "scheme": "http",
        "path": parts.path,
        "raw_path": parts.path.encode(),
        "root_path": "",
        "query_string": parts.query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in given.items() if value],
        "server": ("127.0.0.1", 8765),
        "client": ("127.0.0.1", 1),
    }
    bodies, sent = [form if isinstance(form, bytes) else urlencode(form or {}).encode()], list[Any]()

    async def receive() -> Any:
        if not bodies:
            await asyncio.Event().wait()  # the browser stays
        return {"type": "http.request", "body": bodies.pop(), "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    with ThreadPoolExecutor(1) as thread:  # Chromium, if it was started, has a loop running in this one
        thread.submit(asyncio.run, app(scope, receive, send)).result()
    start = next(one for one in sent if one["type"] == "http.response.start")
    content = b"".join(one.get("body", b"") for one in sent if one["type"] == "http.response.body")
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], headers, content.decode("utf-8", "replace"))


class Browser:
    """One that entered by the address it was given."""

    def __init__(self, app: Guard) -> None:
        self.app = app
        answer = ask(app, app.entry.removeprefix(ORIGIN))
        self.cookie = answer.headers["set-cookie"].partition(";")[0]

    def get(self, path: str) -> Answer:
        return ask(self.app, path, cookie=self.cookie)

    def send(self, path: str, content: bytes) -> Answer:
        return ask(self.app, path, content, cookie=self.cookie)

    def post(self, path: str, form: dict[str, str] | list[tuple[str, str]], in_place: bool = False) -> Answer:
        return ask(self.app, path, form, cookie=self.cookie, in_place=in_place)


def kill(job: Job) -> None:
    """End the process of a job at once, as an outsider would; never one that has no number."""
    assert job.process
    os.kill(job.process, signal.SIGKILL)
