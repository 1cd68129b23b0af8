/** Downloads a month. The token is sent in a header, so the file is fetched, not linked. */
/** @typedef {import("./api.js").Api} Api */
import { byId, el } from "/docs/dom.js";
import { sentenceOf } from "./labels.js";

const MONTHS_MAX = 24;

/** @param {() => Api | null} api */
export function createStatement(api) {
  const month = byId("statement-month", HTMLSelectElement);
  const format = byId("statement-format", HTMLSelectElement);
  const button = byId("statement-button", HTMLButtonElement);
  const statusLine = byId("statement-said", HTMLElement);
  byId("statement-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    void download();
  });

  async function download() {
    const current = api();
    if (current === null) return;
    button.disabled = true;
    statusLine.textContent = "";
    try {
      const { text, mediaType, signature } = await current.statement(month.value, format.value);
      save(`statement-${month.value}.${format.value}`, text, mediaType);
      statusLine.textContent =
        signature === null ? "Saved with its signature." : "Saved. Store its signature with the file: ";
      if (signature !== null) statusLine.append(el("code", {}, [signature]));
    } catch (error) {
      statusLine.textContent = sentenceOf(error);
    } finally {
      button.disabled = false;
    }
  }

  return {
    /** Months of the wallet, newest first. @param {string} createdAt */
    show(createdAt) {
      const chosen = month.value;
      const names = monthsSince(createdAt);
      month.replaceChildren(...names.map((name) => el("option", { value: name }, [name])));
      if (names.includes(chosen)) month.value = chosen;
    },
    clear: () => statusLine.replaceChildren(),
  };
}

function monthsSince(/** @type {string} */ createdAt) {
  const first = createdAt.slice(0, 7);
  const now = new Date();
  /** @type {string[]} */
  const names = [];
  for (let back = 0; back < MONTHS_MAX; back += 1) {
    const name = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7);
    if (name < first) break;
    names.push(name);
  }
  return names;
}

/** @param {string} name @param {string} text @param {string} type */
function save(name, text, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}
