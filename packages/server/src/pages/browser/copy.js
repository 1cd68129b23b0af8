/** Adds a copy button to every command of a page (`pre[data-copy]`). */
import { copyText, el } from "./dom.js";

const [COPY, COPIED, SELECT, BLOCKED] =
  document.documentElement.lang === "fr"
    ? ["Copier", "Copié", "Sélectionnez le texte", "Le navigateur a refusé la copie\u00A0: sélectionnez le texte"]
    : ["Copy", "Copied", "Select the text", "Your browser blocked copying: select the text instead"];

for (const block of document.querySelectorAll("pre[data-copy]")) {
  if (!(block instanceof HTMLElement)) continue;
  const button = el("button", { type: "button", "aria-label": `${COPY}: ${block.dataset["copy"] ?? ""}` }, [COPY]);
  const statusLine = el("span", { role: "status", class: "visually-hidden" });
  button.addEventListener("click", () => void copy(block, button, statusLine));
  const box = el("div", { class: "copyable" });
  block.replaceWith(box);
  box.append(block, button, statusLine);
}

/** @param {HTMLElement} block @param {HTMLElement} button @param {HTMLElement} statusLine */
async function copy(block, button, statusLine) {
  const done = await copyText(block.textContent);
  button.textContent = done ? COPIED : SELECT;
  statusLine.textContent = done ? COPIED : BLOCKED;
  setTimeout(() => (button.textContent = COPY), 2000);
}
