/** Filters the endpoints of the reference page. */
import { byId, debounce, fillText } from "./dom.js";

const MATCHES = document.documentElement.lang === "fr" ? "{} entrées correspondent" : "{} entries match";

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
    byId("filtered", HTMLElement).textContent = query === "" ? "" : fillText(MATCHES, leaves.length);
  }),
);
