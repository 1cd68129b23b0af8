/** Top-ups. A test payment settles immediately; other providers return a checkout link, or the operator settles it. */
/** @typedef {import("./api.js").Api} Api */
/** @typedef {import("./api.js").Topup} Topup */
import { byId, el } from "/docs/dom.js";
import { euro, sentenceOf } from "./labels.js";

const MICRO = 1_000_000;

/** @param {() => Api | null} api @param {() => Promise<void>} onPaid */
export function createTopUp(api, onPaid) {
  const form = byId("topup-form", HTMLFormElement);
  const amount = byId("topup-amount", HTMLInputElement);
  const button = byId("topup-button", HTMLButtonElement);
  const statusLine = byId("topup-said", HTMLElement);
  /**
   * The top-up without a response yet: the same amount reuses its key.
   * @type {{ micro: number, key: string } | null}
   */
  let request = null;

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void pay();
  });

  async function pay() {
    const current = api();
    const micro = Math.round(Number(amount.value) * 100) * (MICRO / 100);
    if (current === null || !amount.reportValidity()) return;
    if (request?.micro !== micro) request = { micro, key: crypto.randomUUID() };
    button.disabled = true;
    try {
      const topup = await current.topUp(micro, request.key);
      request = null;
      statusLine.replaceChildren(...outcome(topup));
      if (topup.status === "succeeded") await onPaid();
    } catch (error) {
      statusLine.textContent = sentenceOf(error);
    } finally {
      button.disabled = false;
    }
  }

  return { clear: () => statusLine.replaceChildren() };
}

/** @returns {(string | Node)[]} */
function outcome(/** @type {Topup} */ { status, amount_micro, checkout_url, topup_id }) {
  if (status === "succeeded") return [`${euro(amount_micro)} was added.`];
  if (checkout_url === null)
    return [
      `Top-up ${topup_id} created. Use this ID as the payment reference. The balance is updated when the operator receives the money.`,
    ];
  const url = URL.canParse(checkout_url) ? new URL(checkout_url) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return ["The payment provider returned no checkout link."];
  const link = el("a", { href: url.href, rel: "noopener noreferrer" }, [`Pay ${euro(amount_micro)} on ${url.host}`]);
  return [link, ". The balance updates automatically."];
}
