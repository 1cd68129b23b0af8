/**
 * Script of the reference: filter, copy buttons and try-it form. The credential stays in the form, in memory. It is
 * never stored, and is sent only as a header to this service.
 */
import { byId, copyText, debounce, el, fillText } from "./dom.js";

/** Headers of the connection or of browser policies, which are hidden. */
const DULL =
  /^(?:access-control-.*|connection|content-length|content-encoding|date|keep-alive|transfer-encoding|vary)$/;
const TEXTS = {
  en: {
    otherOrigin: "Only paths of this service can be tried here.",
    blank: "Replace {} with a value first.",
    took: "{} in {} ms",
    failed: "Request failed: {}",
    copy: "Copy",
    copyLabel: "Copy the request {}",
    copied: "Copied",
    notCopied: "Select the text to copy it",
    run: "Try",
    runLabel: "Try the request {}",
    matches: "{} entries match",
  },
  fr: {
    otherOrigin: "Seuls les chemins de ce service peuvent être essayés ici.",
    blank: "Remplacez d'abord {} par une valeur.",
    took: "{} en {} ms",
    failed: "La requête a échoué\u00A0: {}",
    copy: "Copier",
    copyLabel: "Copier la requête {}",
    copied: "Copié",
    notCopied: "Sélectionnez le texte pour le copier",
    run: "Essayer",
    runLabel: "Essayer la requête {}",
    matches: "{} entrées correspondent",
  },
};
const texts = document.documentElement.lang === "fr" ? TEXTS.fr : TEXTS.en;
/** Longer bodies are truncated on the page. */
const DISPLAYED_MAX = 100_000;

for (const id of ["try", "try-link"]) byId(id, HTMLElement).hidden = false;
const path = byId("try-path", HTMLInputElement);
const key = byId("try-key", HTMLInputElement);
const header = byId("try-header", HTMLSelectElement);
const method = byId("try-method", HTMLSelectElement);
const sent = byId("try-sent", HTMLTextAreaElement);
method.addEventListener("change", showBody);
let running = new AbortController();

byId("try-form", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  void send();
});

/** Only methods that change something have a body. */
function showBody() {
  byId("try-body-box", HTMLElement).hidden = method.value === "GET";
}

function headers() {
  const headers = new Headers();
  const [name = "", prefix = ""] = header.value.split(": ");
  const credential = key.value.trim();
  if (credential !== "" && name !== "") headers.set(name, prefix === "" ? credential : `${prefix} ${credential}`);
  if (method.value !== "GET" && sent.value !== "") headers.set("Content-Type", "application/json");
  return headers;
}

async function send() {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const status = byId("try-status", HTMLElement);
  const url = new URL(path.value, location.origin);
  byId("try-answer", HTMLElement).hidden = false;
  byId("try-headers", HTMLElement).textContent = "";
  byId("try-body", HTMLElement).textContent = "";
  if (url.origin !== location.origin) {
    status.textContent = texts.otherOrigin;
    return;
  }
  const blank = /\{\w+\}/.exec(path.value)?.[0];
  if (blank !== undefined) {
    status.textContent = fillText(texts.blank, blank);
    path.focus();
    return;
  }
  status.textContent = "…";
  const began = performance.now();
  try {
    const hasBody = method.value !== "GET" && sent.value !== "";
    const response = await fetch(url.pathname + url.search, {
      method: method.value,
      headers: headers(),
      signal,
      ...(hasBody && { body: sent.value }),
    });
    const text = await response.text();
    status.textContent = fillText(
      texts.took,
      `${response.status} ${response.statusText}`,
      Math.round(performance.now() - began),
    );
    byId("try-headers", HTMLElement).textContent = [...response.headers]
      .filter(([name]) => !DULL.test(name))
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n");
    byId("try-body", HTMLElement).textContent = readable(text, response.headers.get("content-type") ?? "").slice(
      0,
      DISPLAYED_MAX,
    );
  } catch (error) {
    if (!signal.aborted)
      status.textContent = fillText(texts.failed, error instanceof Error ? error.message : String(error));
  }
}

function readable(/** @type {string} */ text, /** @type {string} */ type) {
  if (!/json/.test(type) || /ndjson/.test(type)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

for (const block of document.querySelectorAll("pre[data-example]")) {
  if (!(block instanceof HTMLElement)) continue;
  const example = block.dataset["example"] ?? "";
  const statusLine = el("span", { role: "status", class: "soft" });
  const copy = el(
    "button",
    {
      type: "button",
      "aria-label": fillText(texts.copyLabel, `${block.dataset["method"]} ${example}`),
      onclick: () => void copyBlock(block, statusLine),
    },
    [texts.copy],
  );
  const go = el(
    "button",
    {
      type: "button",
      "aria-label": fillText(texts.runLabel, `${block.dataset["method"]} ${example}`),
      onclick: () => {
        fill(block);
        byId("try", HTMLElement).scrollIntoView();
        (key.value === "" ? key : path).focus();
      },
    },
    [texts.run],
  );
  const carriesKey = example.includes("key=$");
  const box = el("div", { class: "example" });
  block.replaceWith(box);
  box.append(block, el("div", { class: "together" }, carriesKey ? [copy, statusLine] : [copy, go, statusLine]));
}

function fill(/** @type {HTMLElement} */ block) {
  const { example = "", method: exampleMethod = "GET", body = "", header: name = "", prefix = "" } = block.dataset;
  path.value = example;
  method.value = exampleMethod;
  sent.value = body;
  const carrier = prefix === "" ? name : `${name}: ${prefix.trim()}`;
  if ([...header.options].some((option) => option.value === carrier)) header.value = carrier;
  showBody();
}

async function copyBlock(/** @type {HTMLElement} */ block, /** @type {HTMLElement} */ statusLine) {
  statusLine.textContent = (await copyText(block.textContent)) ? texts.copied : texts.notCopied;
}

const filter = byId("filter", HTMLInputElement);
const rows = [...document.querySelectorAll("[data-filter]")].filter((row) => row instanceof HTMLElement);
if (filter.parentElement !== null) filter.parentElement.hidden = false;
filter.addEventListener(
  "input",
  debounce(80, () => {
    const query = filter.value.trim().toLowerCase();
    const matching = rows.filter((row) => query === "" || row.textContent.toLowerCase().includes(query));
    const visible = new Set(matching);
    for (const row of rows) row.hidden = !visible.has(row);
    const leaves = matching.filter((row) => row.querySelector("[data-filter]") === null);
    byId("filtered", HTMLElement).textContent = query === "" ? "" : fillText(texts.matches, leaves.length);
  }),
);
