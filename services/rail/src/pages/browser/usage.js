/** @typedef {import("./api.js").Api} Api */
/** @typedef {import("./api.js").Bucket} Bucket */
import { byId, el } from "/docs/dom.js";
import { count, dayOf, euro, sentenceOf } from "./labels.js";

const DAYS = 30;
const DAY_MS = 86_400_000;

export function createUsage() {
  const bars = byId("usage-bars", HTMLElement);
  const rows = byId("usage-rows", HTMLElement);
  const statusLine = byId("usage-said", HTMLElement);
  const box = byId("usage-box", HTMLDetailsElement);

  function clear() {
    bars.replaceChildren();
    rows.replaceChildren();
    statusLine.textContent = "";
    box.hidden = true;
  }

  return {
    clear,
    async show(/** @type {Api} */ api) {
      const today = Date.now();
      const days = Array.from({ length: DAYS }, (_, back) => dayName(today - (DAYS - 1 - back) * DAY_MS));
      try {
        const items = await api.usage(days[0], days[DAYS - 1]);
        draw(days, new Map(items.map((item) => [item.bucket, item])));
      } catch (error) {
        clear();
        statusLine.textContent = sentenceOf(error);
      }
    },
  };

  /** @param {readonly string[]} days @param {ReadonlyMap<string, Bucket>} byDay */
  function draw(days, byDay) {
    const used = days.map((day) => byDay.get(day) ?? { bucket: day, decisions: 0, amount_micro: 0 });
    const most = Math.max(1, ...used.map(({ decisions }) => decisions));
    const [decisions, micro] = used.reduce(([n, m], bucket) => [n + bucket.decisions, m + bucket.amount_micro], [0, 0]);
    statusLine.textContent =
      decisions === 0
        ? "No paid decisions."
        : `${count(decisions)} decisions for ${euro(micro)}, at most ${count(most)} a day.`;
    bars.replaceChildren(...(decisions === 0 ? [] : used.map((day) => bar(day, most))));
    const some = used.filter((day) => day.decisions > 0).toReversed();
    rows.replaceChildren(...some.map(row));
    box.hidden = some.length === 0;
  }
}

/** @param {Bucket} day @param {number} most */
function bar({ bucket, decisions, amount_micro }, most) {
  const fill = el("span", { class: "fill" });
  fill.style.setProperty("--share", String(decisions / most));
  return el("span", { class: "day", title: `${dayOf(bucket)}: ${count(decisions)} for ${euro(amount_micro)}` }, [fill]);
}

/** @param {Bucket} day */
function row({ bucket, decisions, amount_micro }) {
  return el("tr", {}, [
    el("th", { scope: "row" }, [dayOf(bucket)]),
    el("td", { class: "amount" }, [count(decisions)]),
    el("td", { class: "amount" }, [euro(amount_micro)]),
  ]);
}

function dayName(/** @type {number} */ time) {
  return new Date(time).toISOString().slice(0, 10);
}
