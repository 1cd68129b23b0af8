/**
 * The item page: with the visitor's key, adds the fields of its plan. The key is sent in a header only, and stored as on
 * the map page.
 */
import { byId, outLink } from "/docs/dom.js";
import { forgetKey, keepKey, takeKey } from "./key.js";

/** @typedef {Record<string, unknown>} Item */

const panel = byId("key-panel", HTMLElement);
const refused = byId("key-refused", HTMLElement);
const forget = byId("forget", HTMLElement);
const api = byId("api", HTMLElement).textContent ?? "";

/** @param {string} key */
async function load(key) {
  refused.textContent = "";
  try {
    const response = await fetch(api, { headers: { "X-API-Key": key } });
    if (response.status === 401) {
      forgetKey();
      return fail("refused");
    }
    if (!response.ok) return fail("failed");
    forget.hidden = false;
    show(await response.json());
  } catch {
    fail("failed");
  }
  return undefined;
}

/** @param {"refused" | "failed"} reason */
function fail(reason) {
  panel.setAttribute("open", "");
  refused.textContent = refused.dataset[reason] ?? "";
}

/** @param {Item} item */
function show(item) {
  const description = byId("description", HTMLElement);
  description.textContent = typeof item["description"] === "string" ? item["description"] : "";
  description.hidden = description.textContent === "";
  for (const row of document.querySelectorAll("[data-field]")) {
    if (!(row instanceof HTMLElement)) continue;
    const content = render(row.dataset["field"] ?? "", item);
    row.hidden = content === null;
    row.querySelector("dd")?.replaceChildren(...(content === null ? [] : [content]));
  }
}

/** @param {string} name @param {Item} item @returns {Node | string | null} */
function render(name, item) {
  const value = item[name];
  if (value == null || value === "") return null;
  if (name === "address") return joined(Object.values(value), " ");
  if (name === "location") return joined(Object.values(value), ", ");
  if (name === "sources" && Array.isArray(value))
    return joined(
      value.map(({ name: source }) => source),
      ", ",
    );
  if (typeof value !== "string") return null;
  return (name === "website" && outLink(value)) || value;
}

/** @param {readonly unknown[]} parts @param {string} separator */
function joined(parts, separator) {
  const text = parts.filter((part) => part !== null && part !== "").join(separator);
  return text === "" ? null : text;
}

byId("key-form", HTMLElement).addEventListener("submit", (event) => {
  event.preventDefault();
  const key = byId("key", HTMLInputElement).value.trim();
  if (key === "") return;
  keepKey(key);
  void load(key);
});
forget.addEventListener("click", () => {
  forgetKey();
  location.reload();
});

panel.classList.remove("script-only");
const key = takeKey();
if (key !== null) void load(key);
