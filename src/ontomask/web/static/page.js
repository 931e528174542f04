// Progress as it comes, the way from a fault to its line, and a file that is sent. Everything else is plain
// forms and links.
"use strict";

// Who leaves a form that is to be saved by a button is asked by the browser whether to throw it away.
let isSent = false;
addEventListener("submit", () => (isSent = true));
addEventListener("shown", () => (isSent = false));
addEventListener("beforeunload", (event) => {
  if (!isSent && unsaved().some(isChanged)) event.preventDefault();
});

const heard = new Map(); // what tells how far something is, by the place where that is shown

function hear() {
  for (const [place, events] of heard) {
    if (place.isConnected) continue;
    events.close();
    heard.delete(place);
  }
  for (const waiting of document.querySelectorAll("[data-events]")) {
    if (!heard.has(waiting)) heard.set(waiting, hearing(waiting));
  }
}

function hearing(waiting) {
  const events = new EventSource(waiting.dataset.events);
  events.addEventListener("progress", (event) => {
    const told = JSON.parse(event.data);
    if (!("phase" in told)) return;
    waiting.querySelector("progress").value = told.fraction;
    waiting.querySelector("[data-phase]").textContent = [told.phase, told.reached].filter(Boolean).join("; ");
  });
  events.addEventListener("over", () => {
    events.close();
    if (![...document.querySelectorAll("input, textarea, select")].some(isChanged)) return refresh();
    // Somebody is filling in a form: nothing that was typed is thrown away.
    const link = document.createElement("a");
    link.href = withoutPart(location.href);
    link.textContent = "Done. Show it";
    waiting.replaceChildren(link);
  });
  return events;
}

hear();
addEventListener("shown", hear);
addEventListener("pagehide", () => heard.forEach((events) => events.close()));

addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-line]");
  if (!button) return;
  const text = document.querySelector("textarea");
  const lines = text.value.split("\n");
  const line = Number(button.dataset.line) - 1;
  const start = lines.slice(0, line).join("\n").length + (line ? 1 : 0);
  text.focus();
  text.setSelectionRange(start, start + (lines[line] ?? "").length);
});

for (const form of document.querySelectorAll("[data-send]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [file] = form.querySelector("input").files;
    const button = form.querySelector("button");
    button.disabled = true;
    const address = `${form.dataset.send}?name=${encodeURIComponent(file.name)}`;
    const answer = await fetch(address, { method: "POST", body: file, redirect: "manual" });
    button.disabled = false;
    if (answer.type === "opaqueredirect") return location.assign("/table");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    form.querySelector("[data-refused]").textContent = page.querySelector("[role=alert]")?.textContent.trim() ?? "";
  });
}
