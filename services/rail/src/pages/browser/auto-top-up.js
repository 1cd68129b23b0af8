/** The setting of automatic top-ups. A manual provider cannot charge, so its page has no such section. */
/** @typedef {import("./api.js").Api} Api */
/** @typedef {import("./api.js").AutoTopup} AutoTopup */
import { byId } from "/docs/dom.js";
import { dayOf, euro, sentenceOf } from "./labels.js";

const MICRO = 1_000_000;

/** @type {Readonly<Record<string, string>>} */
const REASONS = {
  declined: "the payment was declined",
  authentication_required: "the bank requires you to confirm each payment",
  rejected: "the payment method is no longer valid",
  review: "a payment had another amount",
  returned: "a payment was refunded or disputed",
};

/** @param {() => Api | null} api */
export function createAutoTopUp(api) {
  if (document.getElementById("auto-form") === null) return { show: () => undefined, clear: () => undefined };
  const stateLine = byId("auto-state", HTMLElement);
  const refused = byId("auto-refused", HTMLElement);
  const on = byId("auto-on", HTMLButtonElement);
  const off = byId("auto-off", HTMLButtonElement);
  const [threshold, amount, most] = ["threshold", "amount", "most"].map((name) =>
    byId(`auto-${name}`, HTMLInputElement),
  );

  byId("auto-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    void save({
      threshold_micro: microIn(threshold),
      amount_micro: microIn(amount),
      max_per_month: Number(most.value),
    });
  });
  off.addEventListener("click", () => void save(null));

  async function save(/** @type {object | null} */ setting) {
    const current = api();
    if (current === null) return;
    refused.textContent = "";
    on.disabled = off.disabled = true;
    try {
      show((await current.setAutoTopUp(setting)).auto_topup);
    } catch (error) {
      refused.textContent = sentenceOf(error);
    } finally {
      on.disabled = off.disabled = false;
    }
  }

  function show(/** @type {AutoTopup | null} */ auto) {
    stateLine.textContent = auto === null ? "Off." : stateOf(auto);
    on.textContent = auto === null ? "Switch on" : auto.status === "stopped" ? "Switch on again" : "Save";
    off.hidden = auto === null;
    if (auto === null) return;
    threshold.value = (auto.threshold_micro / MICRO).toFixed(2);
    amount.value = (auto.amount_micro / MICRO).toFixed(2);
    most.value = String(auto.max_per_month);
  }

  return { show, clear: () => show(null) };
}

function stateOf(/** @type {AutoTopup} */ { status, amount_micro, threshold_micro, stop_reason, stopped_at }) {
  const adds = `adds ${euro(amount_micro)} when the balance falls below ${euro(threshold_micro)}`;
  if (status === "active") return `On: ${adds}.`;
  if (status === "needs_payment_method") return `On, without a payment method yet: top up once, and it ${adds}.`;
  const when = stopped_at === null ? "" : ` on ${dayOf(stopped_at)}`;
  return `Stopped${when}: ${REASONS[stop_reason ?? ""] ?? stop_reason}.`;
}

function microIn(/** @type {HTMLInputElement} */ input) {
  return Math.round(Number(input.value) * 100) * (MICRO / 100);
}
