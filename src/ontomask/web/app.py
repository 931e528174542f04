"""The pages: what was sent is parsed, somebody is called, and what came out is shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ontomask import report
from ontomask.errors import Fault, OntomaskError
from ontomask.plan.editing import with_key
from ontomask.profile.deciding import with_role, with_settings
from ontomask.web.guard import Guard
from ontomask.web.session import MOST_TEXT, PlanText, Session, Work, as_event
from ontomask.web.steps import (
    MEANS,
    PATHS,
    ROLES,
    column_rows,
    command_line,
    not_accepted,
    read_notes,
    release_command,
    steps_of,
    why_not_runnable,
)

_HERE = Path(__file__).parent
_EVERY = 0.2  # seconds between two looks at how far something is
_REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox"
)
Form = list[tuple[str, str]]


def application(session: Session, address: str) -> Guard:
    """The pages of a session, for whoever is let in at this address."""
    pages = Pages(session)
    routes = [
        Route("/", pages.start),
        Route("/choose", pages.acting(pages.choose), methods=["POST"]),
        Route("/table", pages.showing(pages.table)),
        Route("/table/role", pages.acting(pages.decide), methods=["POST"]),
        Route("/plan", pages.showing(pages.plan)),
        Route("/plan", pages.save_plan, methods=["POST"]),
        Route("/release", pages.showing(pages.release)),
        Route("/release/run", pages.acting(pages.run), methods=["POST"]),
        Route("/cancel", pages.acting(pages.cancel), methods=["POST"]),
        Route("/events", pages.events),
        Route("/report/{name}", pages.report),
        Route("/files/{name}", pages.download),
        Route("/static/report.css", _report_style),
        Mount("/static", StaticFiles(directory=_HERE / "static")),
    ]
    return Guard(Starlette(routes=routes), address)


async def _report_style(request: Request) -> Response:
    return FileResponse(Path(report.__file__).with_name("style.css"), media_type="text/css")


class Pages:
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

    # ------------------------------------------------------------------ how pages are shown, and acted on

    def showing(self, page: Callable[[Work, PlanText, Request], dict[str, Any]]) -> Any:
        """A page as an endpoint: a template of its name, with what it gathers."""

        async def endpoint(request: Request) -> Response:
            work = self._session.work
            if work is None:
                return RedirectResponse("/", 303)
            return await run_in_threadpool(self._shown, work, page.__name__, page, request)

        return endpoint

    def _shown(
        self,
        work: Work,
        name: str,
        page: Callable[[Work, PlanText, Request], dict[str, Any]],
        request: Request,
        status: int = 200,
        faults: tuple[Fault, ...] = (),
    ) -> Response:
        frame = self._frame(f"/{name}", faults)
        try:
            return self._rendered(name, frame | page(work, frame["plan"], request), status)
        except OntomaskError as error:
            return self._rendered("fault", frame | {"faults": error.faults}, 422)

    def _frame(self, path: str, faults: tuple[Fault, ...] = ()) -> dict[str, Any]:
        """What every page has: the steps, the plan, and what is wrong."""
        work = self._session.work
        plan = work.plan() if work else PlanText("", None, ())
        steps = steps_of(work, plan) if work else []
        return {"work": work, "plan": plan, "steps": steps, "path": path, "faults": faults}

    def _rendered(self, name: str, shown: dict[str, Any], status: int = 200) -> Response:
        return HTMLResponse(self._templates.get_template(f"{name}.html.jinja").render(shown), status)

    def acting(self, act: Callable[[Form], str]) -> Any:
        """What changes something as an endpoint: it ends on the page whose path it gives, or tells faults."""

        async def endpoint(request: Request) -> Response:
            form = await form_of(request)
            if form is None:
                return PlainTextResponse("That is more than a page sends.", 413)
            try:
                return RedirectResponse(await run_in_threadpool(self._acted, act, form), 303)
            except OntomaskError as error:
                return self._rendered("fault", self._frame("", error.faults), 422)

        return endpoint

    def _acted(self, act: Callable[[Form], str], form: Form) -> str:
        with self._one_at_a_time:  # a button that is pressed twice, a second tab
            return act(form)

    @property
    def _work(self) -> Work:
        if self._session.work is None:
            raise OntomaskError("no table is chosen", remedy="choose one first")
        return self._session.work

    # ------------------------------------------------------------------ which table

    async def start(self, request: Request) -> Response:
        """The first step; without a table, the tables of the folder."""
        if self._session.work is not None:
            return RedirectResponse("/table", 303)
        shown = {"tables": self._session.tables(), "folder": self._session.folder}
        return self._rendered("choose", self._frame("/") | shown)

    def choose(self, form: Form) -> str:
        """Work on a table of the folder."""
        name = dict(form).get("table", "")
        tables = self._session.tables()
        if name not in tables:
            raise OntomaskError(f"there is no table {name!r} in this folder", value=name)
        self._session.choose(tables[name])
        return "/table"

    # ------------------------------------------------------------------ step Table

    def table(self, work: Work, plan: PlanText, request: Request) -> dict[str, Any]:
        """First rows, what was found out, and the columns."""
        rows = column_rows(work, plan.plan)
        return {
            "columns": rows,
            "n_open": sum(row.is_open for row in rows),
            "first": work.first_rows,
            "profile": work.profile,
            "read": read_notes(work.profile) if work.profile else [],
            "roles": ROLES,
            "means": MEANS,
        }

    def decide(self, form: Form) -> str:
        """Give a column a role, or settings that were proposed for it."""
        work, given = self._work, dict(form)
        plan, column = work.plan(), given.get("column", "")
        if work.profile is None or plan.plan is None:
            raise OntomaskError(
                "nothing can be decided yet", remedy="wait until the table is read and the plan has no fault"
            )
        if column not in [one.name for one in work.profile.columns]:
            raise OntomaskError(f"there is no column {column!r}", value=column)
        if given.get("instead", "").isdigit():
            proposed = dict(enumerate(work.profile[column].instead))
            settings = proposed.get(int(given["instead"]), {"role": "undecided"})
            text = with_settings(plan.text, plan.plan, column, settings)
        else:
            text = with_role(plan.text, work.profile, column, given.get("role", ""), work.plan_file.parent)  # type: ignore[arg-type]
        work.write_plan(text)
        return "/table"

    # ------------------------------------------------------------------ the plan itself

    def plan(self, work: Work, plan: PlanText, request: Request) -> dict[str, Any]:
        """The plan as it is on disk."""
        return {"shown": plan, "is_saved": True, "changed": False}

    async def save_plan(self, request: Request) -> Response:
        """Put another plan in its place, if it has no fault and the one that was shown is still there."""
        work, form = self._session.work, await form_of(request)
        if work is None:
            return RedirectResponse("/", 303)
        if form is None:
            return PlainTextResponse("That is more than a plan.", 413)
        return await run_in_threadpool(self._saved, work, dict(form), request)

    def _saved(self, work: Work, given: dict[str, str], request: Request) -> Response:
        typed = work.read(given.get("text", "").replace("\r\n", "\n"))
        faults: tuple[Fault, ...] = ()
        with self._one_at_a_time:
            changed = given.get("digest") != work.plan().digest
            if not typed.faults and not changed:
                try:
                    work.write_plan(typed.text)
                    return RedirectResponse("/plan", 303)
                except OntomaskError as error:
                    faults = error.faults

        def kept(work: Work, plan: PlanText, request: Request) -> dict[str, Any]:
            return {"shown": typed, "is_saved": False, "changed": changed}

        return self._shown(work, "plan", kept, request, 422, faults)

    # ------------------------------------------------------------------ step Release

    def release(self, work: Work, plan: PlanText, request: Request) -> dict[str, Any]:
        """What will be written, what stops it, and what was written."""
        name = request.query_params.get("name") or default_release(work)
        words = release_command(work, name, request.query_params.get("internal") == "on")
        failure = work.command.failure if work.command else None
        found = work.released(name)
        settings = None if plan.plan is None else plan.plan.as_public_dict()
        return {
            "name": name,
            "internal": request.query_params.get("internal") == "on",
            "columns": column_rows(work, plan.plan),
            "stops": () if plan.plan is None else why_not_runnable(work, plan.plan),
            "open_warnings": not_accepted(work, plan.plan),
            "accepted": (plan.plan.accept if plan.plan else None) or (),
            "failure": failure if failure and failure.kind != "NotAcceptedError" else None,
            "command": command_line(words),
            "released": found,
            "is_of_plan": found is not None and found.manifest["plan"]["settings"] == settings,
        }

    def run(self, form: Form) -> str:
        """Accept what was accepted by name, and start the command."""
        work, given = self._work, dict(form)
        plan, name = work.plan(), work.target(given.get("name", "")).name
        if plan.plan is None:
            raise OntomaskError(*plan.faults)
        work.check_idle()
        accepted = [*(plan.plan.accept or ()), *(value for key, value in form if key == "accept")]
        if plan.plan.accept is None or len(accepted) > len(plan.plan.accept):
            work.write_plan(with_key(plan.text, ["accept"], list(dict.fromkeys(accepted))))
        internal = given.get("internal") == "on"
        work.run(*release_command(work, name, internal))
        return f"/release?{urlencode({'name': name} | ({'internal': 'on'} if internal else {}))}"

    def cancel(self, form: Form) -> str:
        """End the command that runs."""
        if self._work.command is not None:
            self._work.command.cancel()
        return dict(form)["back"] if dict(form).get("back") in PATHS else "/table"

    async def events(self, request: Request) -> Response:
        """How far the look at the table or the command is, until it is over."""
        return StreamingResponse(self._told(), media_type="text/event-stream")

    async def _told(self) -> AsyncIterator[str]:
        told: object = None
        while (work := self._session.work) is not None and (work.is_busy or not work.look.is_over):
            now = asdict(work.command.progress) if work.command and work.is_busy else {}
            if now != told:
                told = now
                yield as_event("progress", now)
            await asyncio.sleep(_EVERY)
        yield as_event("over", {})

    # ------------------------------------------------------------------ what was written

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
        try:
            released = self._work.released(request.query_params.get("of", ""))
        except OntomaskError:
            return None
        return None if released is None else released.files.get(request.path_params["name"])


def default_release(work: Work) -> str:
    """The name of a release, if none is asked for."""
    suffix = work.table.suffix if work.table.suffix in (".csv", ".tsv", ".parquet", ".xlsx") else ".csv"
    return f"{work.table.stem}.release{suffix}"


async def form_of(request: Request) -> Form | None:
    """The fields of a form; None if they are too long."""
    content = b""
    async for piece in request.stream():
        content += piece
        if len(content) > 3 * MOST_TEXT:  # three bytes for one, as forms write them
            return None
    return parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True)
