// Single keys on the page of words. Each does what a button or link of the page does.
"use strict";

const switched = document.querySelector("#single-keys");
if (switched) {
  switched.checked = sessionStorage.getItem("single-keys") !== "off";
  switched.addEventListener("change", () => {
    sessionStorage.setItem("single-keys", switched.checked ? "on" : "off");
  });
}

const shown = document.querySelector(".values [aria-current]");
if (shown) {
  const list = shown.closest(".values");
  if (list.scrollHeight > list.clientHeight) {
    list.scrollTop = shown.offsetTop - list.offsetTop - list.clientHeight / 3;
  }
}

function go(step) {
  const values = [...document.querySelectorAll(".values a")];
  const at = values.indexOf(shown);
  const there = at < 0 ? values[0] : values[at + step];
  const page = document.querySelector(step > 0 ? ".pages [rel=next]" : ".pages [rel=prev]");
  (there ?? page)?.click();
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (event.target.matches("input, select, textarea") || !switched?.checked) return;
  if (event.key === "/") {
    document.querySelector("#search")?.select();
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    go(event.key === "ArrowDown" ? 1 : -1);
  } else {
    const found = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!found) return;
    found.click();
  }
  event.preventDefault();
});
