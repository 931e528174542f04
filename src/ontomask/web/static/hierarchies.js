// Keys for who answers many proposals: they count only while the list of proposals has the focus.
"use strict";

document.querySelector("#proposals")?.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
});
