"""The site: what was sent is parsed, a page is asked, and what it gives is shown."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from shutil import rmtree
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from ontomask import report
from ontomask.errors import Fault, OntomaskError
from ontomask.web import hierarchies, plan_text, protection, release, table, words
from ontomask.web.guard import Guard
from ontomask.web.page import Action, Again, Form, Page
from ontomask.web.session import Session
from ontomask.web.work import PlanText, Work

STEPS = (
    table.PAGE,
    words.PAGE,
    hierarchies.PAGE,
    protection.PAGE,
    release.PAGE,
)
PAGES = {page.name: page for page in (*STEPS, plan_text.PAGE)}

MOST_TEXT = 2_000_000
"""Bytes of what a page may send: no plan is longer."""
MOST_SENT = 2 << 30
"""Bytes of a table that may be sent: a larger one is better named, for it stands on this machine already."""

IN_PLACE = "in-place"
"""The header of a request by `visiting.js`, which shows the answer without a new page."""

_HERE = Path(__file__).parent
_ANOTHER = Fault("a table is open already", remedy="start `ontomask web` again for another one")
_EVERY = 0.2  # seconds between two looks at how far something is
_MEDIA = {".css": "text/css", ".js": "text/javascript"}
_KEPT = {"Cache-Control": "private, max-age=600"}  # files of the program: nothing of the table
_REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox"
)


def application(session: Session, address: str) -> Guard:
    """The pages of a session, for whoever is let in at this address."""
    site = Site(session)
    routes = [
        Route("/", site.start),
        Route("/choose", site.choose, methods=["POST"]),
        Route("/send", site.send, methods=["POST"]),
        Route("/cancel", site.cancel, methods=["POST"]),
        Route("/events", site.events),
        Route("/report/{name}", site.report),
        Route("/files/{name}", site.download),
        Route("/static/{name}", site.static),
        *(Route(f"/{page.name}", site.showing(page)) for page in PAGES.values()),
        *(
            Route(f"/{page.name}/{name}", site.acting(page, act), methods=["POST"])
            for page in PAGES.values()
            for name, act in page.actions.items()
        ),
    ]
    return Guard(Starlette(routes=routes), address)


class Site:
    """What is answered to each request."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._one_at_a_time = Lock()
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        for name in self._templates.list_templates():
            self._templates.get_template(name)  # compiled now, so that no click waits for it
        # Read now: beside what works in the background, a page would wait for each file.
        every = (Path(report.__file__).with_name("style.css"), *(_HERE / "static").iterdir())
        self._static = {path.name: path.read_bytes() for path in every}

    # ------------------------------------------------------------------ how pages are shown, and acted on

    def showing(self, page: Page) -> Any:
        """A page as an endpoint."""

        async def endpoint(request: Request) -> Response:
            if self._session.work is None:
                return RedirectResponse("/", 303)
            return await run_in_threadpool(self.shown, self._session.work, page, request.query_params)

        return endpoint

    def acting(self, page: Page, act: Action) -> Any:
        """What changes something as an endpoint: it ends on the page whose address it gives, or tells faults.

        One at a time: a button may be pressed twice, and in a second tab. A script that shows in place what
        follows is given that at once, with its address.
        """

        def acted(work: Work, form: Form, request: Request) -> Response:
            with self._one_at_a_time:
                try:
                    if page is not release.PAGE:  # the command reads the plan, and what it names, as it goes
                        work.check_idle("release", "a release is being made of this plan")
                    ended = act(work, form)
                except OntomaskError as error:
                    return self._rendered("fault", self._frame(page, error.faults), 422)
            if isinstance(ended, Again):
                return self.shown(work, page, request.query_params, ended)
            if IN_PLACE not in request.headers:
                return RedirectResponse(ended, 303)
            address = urlsplit(ended)
            answer = self.shown(work, PAGES[address.path[1:]], QueryParams(address.query))
            answer.headers["Shown-At"] = ended
            return answer

        async def endpoint(request: Request) -> Response:
            form = await _form_of(request)
            if form is None:
                return PlainTextResponse("That is more than a page sends.", 413)
            if self._session.work is None:
                return RedirectResponse("/", 303)
            return await run_in_threadpool(acted, self._session.work, form, request)

        return endpoint

    def shown(self, work: Work, page: Page, asked: QueryParams, again: Again | None = None) -> Response:
        """A page as it is now; with what was sent, if that has faults."""
        frame = self._frame(page, again.faults if again else ())
        try:
            shown = page.show(work, frame["plan"], asked)
        except OntomaskError as error:
            return self._rendered("fault", frame | {"faults": error.faults}, 422)
        if again:
            return self._rendered(page.name, frame | shown | dict(again.shown), 422)
        return self._rendered(page.name, frame | shown)

    def _frame(self, page: Page | None, faults: tuple[Fault, ...] = ()) -> dict[str, Any]:
        """What every page has: the steps, the plan, what runs for it, and what is wrong."""
        work = self._session.work
        plan = work.plan() if work else PlanText("", None, ())
        return {
            "work": work,
            "is_on_a_copy": self._session.is_on_a_copy,
            "beside_the_copy": self._session.beside_the_copy(),
            "plan": plan,
            "page": page,
            "job": work.jobs.get(page.name) if work and page else None,
            "steps": [(step, step.n_open(work, plan)) for step in STEPS] if work else [],
            "next_step": next((after for step, after in pairwise(STEPS) if step is page), None),
            "faults": faults,
        }

    def _rendered(self, name: str, shown: dict[str, Any], status: int = 200) -> Response:
        return HTMLResponse(self._templates.get_template(f"{name}.html.jinja").render(shown), status)

    # ------------------------------------------------------------------ which table

    async def start(self, request: Request) -> Response:
        """The first step; without a table, the tables of the folder."""
        if self._session.work is not None:
            return RedirectResponse("/table", 303)
        return self._choices()

    async def choose(self, request: Request) -> Response:
        """Work on a table of the folder."""
        form = await _form_of(request)
        return await run_in_threadpool(self._chosen, form["table"] if form else "")

    def _chosen(self, name: str) -> Response:
        tables = self._session.tables()
        if name not in tables:
            return self._choices(422, (Fault(f"there is no table {name!r} in this folder", value=name),))
        return self._begun(tables[name])

    def _begun(self, table: Path) -> Response:
        """Work on a table, unless there is one: a page that still shows that would act on another."""
        with self._one_at_a_time:
            if self._session.work is not None:
                return self._choices(422, (_ANOTHER,))
            self._session.choose(table)
        return RedirectResponse("/table", 303)

    async def send(self, request: Request) -> Response:
        """Work on a copy of a table that is sent as it is; `name` is that of the file."""
        if self._session.work is not None:
            return self._choices(422, (_ANOTHER,))
        try:
            target = self._session.place_for(request.query_params.get("name", ""))
            await self._received(request, target)
        except OntomaskError as error:
            return self._choices(422, error.faults)
        except ClientDisconnect:
            return PlainTextResponse("Nobody waits for this.", 400)
        return await run_in_threadpool(self._begun, target)

    async def _received(self, request: Request, target: Path) -> None:
        size = 0
        try:
            with target.open("xb") as file:
                async for piece in request.stream():
                    size += len(piece)
                    if size > MOST_SENT:
                        raise OntomaskError(
                            f"{target.name} is larger than {MOST_SENT >> 30} GiB",
                            remedy="start `ontomask web` with the file, which copies nothing",
                        )
                    await run_in_threadpool(file.write, piece)
        except BaseException as error:  # no room, too long, or whoever sends went away
            rmtree(target.parent, ignore_errors=True)
            if isinstance(error, OSError):
                raise OntomaskError(f"it could not be kept: {error.strerror}", value=target.name) from None
            raise

    def _choices(self, status: int = 200, faults: tuple[Fault, ...] = ()) -> Response:
        shown = {"tables": self._session.tables(), "folder": self._session.folder}
        return self._rendered("choose", self._frame(None, faults) | shown, status)

    # ------------------------------------------------------------------ what runs

    async def cancel(self, request: Request) -> Response:
        """End what runs for a page."""
        form, work = await _form_of(request), self._session.work
        name = form["of"] if form else ""
        if work and name in work.jobs:
            await run_in_threadpool(work.jobs[name].cancel)
        page = name.partition(".")[0]  # a page may ask for several things: `page.what`, each told at a place
        return RedirectResponse(f"/{page}#{name}" if page in PAGES else "/table", 303)

    async def events(self, request: Request) -> Response:
        """How far what runs for a page is, until it is over."""
        asked = request.query_params
        told = self._told(asked.get("of", ""), asked.get("until") == "so far")
        return StreamingResponse(told, media_type="text/event-stream")

    async def _told(self, name: str, is_part_enough: bool) -> AsyncIterator[str]:
        told: object = None
        while (work := self._session.work) and (job := work.jobs.get(name)) and not job.is_over:
            if self._session.is_ending:
                return
            if is_part_enough and job.so_far is not None:
                break
            if job.progress != told:
                told = job.progress
                yield as_event("progress", asdict(job.progress))
            await asyncio.sleep(_EVERY)
        yield as_event("over", {})

    # ------------------------------------------------------------------ files

    async def static(self, request: Request) -> Response:
        """A file of the program, which a browser need not ask for with every click; the next session has
        another port."""
        name = request.path_params["name"]
        if name not in self._static:
            return PlainTextResponse("There is no such file.", 404)
        return Response(self._static[name], headers=_KEPT, media_type=_MEDIA[Path(name).suffix])

    async def report(self, request: Request) -> Response:
        """The report of a release, as a page in the page: it runs nothing."""
        found = self._found(request)
        if found is None:
            return PlainTextResponse("There is no such report.", 404)
        headers = {"Content-Security-Policy": _REPORT_POLICY}
        return FileResponse(found, media_type="text/html", headers=headers)

    async def download(self, request: Request) -> Response:
        """A file of a release."""
        found = self._found(request)
        if found is None:
            return PlainTextResponse("There is no such file.", 404)
        return FileResponse(found, filename=found.name, media_type="application/octet-stream")

    def _found(self, request: Request) -> Path | None:
        """A file that a release in the folder is made of, by its name and that of the release."""
        if self._session.work is None:
            return None
        if found := self._session.beside_the_copy().get(request.path_params["name"]):
            return found
        try:
            released = self._session.work.released(request.query_params.get("of", ""))
        except OntomaskError:
            return None
        return None if released is None else released.files.get(request.path_params["name"])


async def _form_of(request: Request) -> Form | None:
    """The fields of a form; None if they are too long."""
    content = b""
    async for piece in request.stream():
        content += piece
        if len(content) > 3 * MOST_TEXT:  # three bytes for one, as forms write them
            return None
    return Form(parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True))


def as_event(kind: str, told: object) -> str:
    """A server-sent event.

    >>> as_event("over", {})
    'event: over\\ndata: {}\\n\\n'
    """
    return f"event: {kind}\ndata: {json.dumps(told)}\n\n"
