/** The entries, newest first, page by page. A charge links to its receipt. */
/** @typedef {import("./api.js").Api} Api */
/** @typedef {import("./api.js").Entry} Entry */
import { byId, el } from "/docs/dom.js";
import { change, columnEuro, kindOf, sentenceOf, timeOf } from "./labels.js";

/** @param {(chargeId: string) => void} prove shows the receipt of a charge */
export function createEntries(prove) {
  const rows = byId("entry-rows", HTMLElement);
  const more = byId("more", HTMLButtonElement);
  const statusLine = byId("entries-said", HTMLElement);
  /** @type {Api | null} */
  let api = null;
  /** @type {string | null} */
  let cursor = null;
  more.addEventListener("click", () => void load(false));

  async function load(/** @type {boolean} */ afresh) {
    if (api === null) return;
    more.disabled = true;
    try {
      const page = await api.entries(afresh ? null : cursor);
      const newRows = page.items.map((entry) => row(entry, prove));
      if (afresh) rows.replaceChildren(...newRows);
      else rows.append(...newRows);
      cursor = page.next_cursor;
      more.hidden = cursor === null;
      statusLine.textContent = rows.childElementCount === 0 ? "No transactions yet." : "";
    } catch (error) {
      statusLine.textContent = sentenceOf(error);
    } finally {
      more.disabled = false;
    }
  }

  return {
    /** Starts at the newest entry. */
    show(/** @type {Api} */ newApi) {
      api = newApi;
      return load(true);
    },
    clear() {
      api = null;
      cursor = null;
      rows.replaceChildren();
    },
  };
}

/** @param {Entry} entry @param {(chargeId: string) => void} prove */
function row({ seq, kind, op, amount_micro, balance_after_micro, created_at, charge_id }, prove) {
  const name = kind === "charge" && op !== null ? op : kindOf(kind);
  const note = kind === "charge" || op === null ? null : el("span", { class: "soft" }, [` ${op}`]);
  const proof =
    kind === "charge" && charge_id !== null
      ? el(
          "button",
          {
            type: "button",
            class: "plain",
            "data-charge": charge_id,
            "aria-label": `Receipt of entry ${seq}`,
            onclick: () => prove(charge_id),
          },
          ["Receipt"],
        )
      : null;
  return el("tr", { class: kind }, [
    el("td", { class: "seq soft" }, [String(seq)]),
    el("th", { scope: "row" }, [name, note]),
    el("td", { class: amount_micro > 0 ? "amount gain" : "amount" }, [change(amount_micro)]),
    el("td", { class: "amount after" }, [columnEuro(balance_after_micro)]),
    el("td", { class: "time" }, [el("time", { datetime: created_at }, [timeOf(created_at)])]),
    el("td", { class: "proof" }, [proof]),
  ]);
}
