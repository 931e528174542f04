// Keys for who answers many proposals: they count only while the list of proposals has the focus.
"use strict";

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  if (event.target.closest("#proposals")) document.querySelector(`[data-key="${CSS.escape(event.key)}"]`)?.click();
});
