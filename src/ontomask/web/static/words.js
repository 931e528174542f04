// Single keys on the page of words. Each does what a button or link of the page does.
"use strict";

const shownValue = () => document.querySelector(".values [aria-current]");
const areKeysOn = () => sessionStorage.getItem("single-keys") !== "off";

function prepareWords() {
  const switched = document.querySelector("#single-keys");
  if (switched) switched.checked = areKeysOn();
  const list = document.querySelector(".values");
  if (list && shownValue() && list.scrollHeight > list.clientHeight) {
    list.scrollTop = shownValue().offsetTop - list.offsetTop - list.clientHeight / 3;
  }
}

prepareWords();
addEventListener("shown", prepareWords);
addEventListener("change", (event) => {
  if (event.target.id === "single-keys") sessionStorage.setItem("single-keys", event.target.checked ? "on" : "off");
});

function go(step) {
  const values = [...document.querySelectorAll(".values a")];
  const at = values.indexOf(shownValue());
  const there = at < 0 ? values[0] : values[at + step];
  const page = document.querySelector(step > 0 ? ".pages [rel=next]" : ".pages [rel=prev]");
  (there ?? page)?.click();
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  if (event.target.matches("input, select, textarea") || !areKeysOn()) return;
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
