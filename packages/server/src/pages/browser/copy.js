/** Adds a copy button to every command of a page (`pre[data-copy]`). */
import { copyText, el } from "./dom.js";

for (const block of document.querySelectorAll("pre[data-copy]")) {
  if (!(block instanceof HTMLElement)) continue;
  const button = el("button", { type: "button", "aria-label": `Copy: ${block.dataset["copy"] ?? ""}` }, ["Copy"]);
  const statusLine = el("span", { role: "status", class: "visually-hidden" });
  button.addEventListener("click", () => void copy(block, button, statusLine));
  const box = el("div", { class: "copyable" });
  block.replaceWith(box);
  box.append(block, button, statusLine);
}

/** @param {HTMLElement} block @param {HTMLElement} button @param {HTMLElement} statusLine */
async function copy(block, button, statusLine) {
  const done = await copyText(block.textContent);
  button.textContent = done ? "Copied" : "Select the text";
  statusLine.textContent = done ? "Copied" : "Your browser blocked copying: select the text instead";
  setTimeout(() => (button.textContent = "Copy"), 2000);
}
