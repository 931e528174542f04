// Links and forms that stay within a step change the page in place: that takes a browser less time than a new
// page, and what was scrolled stays where it is. Without this script they do the same by new pages.
"use strict";

const stepOf = (address) => new URL(address, location.href).pathname.split("/")[1];
const isHere = (address) =>
  new URL(address, location.href).origin === location.origin && stepOf(address) === stepOf(location.href);
const withoutPart = (address) => address.split("#")[0];

let shownAt = location.href;
let asking = null; // what is under way
const plain = new WeakSet(); // forms that are left to the browser

// Shows what is at an address, or what comes of a form that is sent there; `otherwise` lets the browser do it.
// `keep` leaves the address and what is scrolled as they are.
async function visit(address, { form, body, keep = false, otherwise = () => location.assign(address) } = {}) {
  if (asking?.body) return; // what was sent is answered first: the next click may be about something else
  asking?.abort.abort();
  const own = (asking = { body, abort: new AbortController() });
  const main = document.querySelector("main");
  main.setAttribute("aria-busy", "true");
  try {
    const headers = { "In-Place": "yes" };
    const method = body ? "POST" : "GET";
    const answer = await fetch(address, { method, body, headers, signal: own.abort.signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (keep) await letGo;
    if (asking !== own) return;
    const asked = new URL(address, location.href);
    const at = answer.headers.get("Shown-At") ?? (body ? location.href : answer.url + asked.hash);
    if (!isHere(at)) return location.assign(at);
    if (!page.querySelector("main")) return otherwise();
    const typed = typedBut(form);
    show(page, at, { keep, isRefused: !answer.ok });
    typeAgain(typed);
  } catch (error) {
    if (error.name !== "AbortError") otherwise();
  } finally {
    main.removeAttribute("aria-busy");
    if (asking === own) asking = null;
  }
}

// What is pressed stays until it is let go and has done what it does: a page that changes by itself takes no click.
let letGo = null;
addEventListener("pointerdown", (event) => {
  if (event.button) return;
  letGo = new Promise((go) => {
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(go), { once: true });
  });
});

// Shows the page as it is now, unless something newer is under way.
const refresh = () => asking ?? visit(location.href, { keep: true });

function show(page, at, { keep, isRefused }) {
  const before = location.href;
  const [focused, wasIdle] = [document.activeElement?.id, document.activeElement === document.body];
  const wrong = isRefused ? page.querySelector("[role=alert]") : null;
  wrong?.setAttribute("tabindex", "-1");
  const first = page.querySelector("[autofocus]") ?? wrong;
  first?.removeAttribute("autofocus"); // which browsers heed in new pages alone, and complain of here
  for (const part of ["header", "main"]) {
    document.querySelector(part).replaceWith(document.adoptNode(page.querySelector(part)));
  }
  document.title = page.title;
  if (!keep) history[before === new URL(at, before).href ? "replaceState" : "pushState"](null, "", at);
  shownAt = location.href;
  dispatchEvent(new Event("shown"));
  const part = keep ? null : document.getElementById(location.hash.slice(1));
  part?.scrollIntoView();
  (first ?? part ?? document.getElementById(focused))?.focus();
  if (document.activeElement === document.body && !(keep && wasIdle)) {
    document.querySelector("main").focus({ preventScroll: true });
  }
}

// What was typed into a form that is to be saved, and not sent, stands in the page that follows.
const isTicked = (field) => field.type === "checkbox" || field.type === "radio";
const isChanged = (field) =>
  isTicked(field)
    ? field.checked !== field.defaultChecked
    : field.tagName === "SELECT"
      ? field.selectedIndex !== Math.max([...field.options].findIndex((one) => one.defaultSelected), 0)
      : field.value !== field.defaultValue;
const nameOf = (field) => [field.form.getAttribute("action"), field.name, isTicked(field) ? field.value : ""].join();
const unsaved = () => [...document.querySelectorAll("[data-unsaved] :is(input, textarea, select)")];

function typedBut(sent) {
  return new Map(unsaved().filter((one) => one.form !== sent && isChanged(one)).map((one) => [nameOf(one), one]));
}

function typeAgain(typed) {
  for (const field of unsaved()) {
    const before = typed.get(nameOf(field));
    if (before) [field.value, field.checked] = [before.value, before.checked];
  }
}

addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  const isElsewhere = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (!link || event.defaultPrevented || isElsewhere || link.matches("[download], [target]")) return;
  const { href, hash } = new URL(link.getAttribute("href"), location.href); // in a picture, `href` is no text
  const isPart = hash && withoutPart(href) === withoutPart(location.href);
  if (isPart || !isHere(href)) return;
  event.preventDefault();
  visit(href);
});

addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  // Attributes, for a form also has its fields as properties, and one of them is called `method`.
  const address = submitter?.getAttribute("formaction") ?? form.getAttribute("action") ?? location.href;
  if (event.defaultPrevented || plain.has(form) || !isHere(address)) return;
  event.preventDefault();
  const body = new URLSearchParams(new FormData(form, submitter));
  if (form.getAttribute("method") === "get") {
    const [where, part] = address.split("#");
    visit(`${where.split("?")[0]}?${body}${part ? `#${part}` : ""}`);
  } else {
    visit(address, { form, body, otherwise: () => plain.add(form) && form.requestSubmit(submitter) });
  }
});

addEventListener("popstate", () => {
  if (withoutPart(shownAt) !== withoutPart(location.href)) visit(location.href, { keep: true });
});
