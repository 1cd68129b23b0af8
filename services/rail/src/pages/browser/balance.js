/** @typedef {import("./api.js").Wallet} Wallet */
import { byId, pairs } from "/docs/dom.js";
import { count, dayOf, euro } from "./labels.js";

export function showBalance(/** @type {Wallet} */ wallet) {
  const { balance_micro, decisions_remaining, paid_micro, promo_micro, promo_expires_at, price_micro, status } = wallet;
  byId("balance-figure", HTMLElement).textContent = euro(balance_micro);
  byId("balance-decisions", HTMLElement).textContent =
    `${count(decisions_remaining)} ${decisions_remaining === 1 ? "decision" : "decisions"} at ${euro(price_micro)}`;
  const ends = promo_micro > 0 && promo_expires_at !== null ? `, expires ${dayOf(promo_expires_at)}` : "";
  byId("balance-parts", HTMLElement).replaceChildren(
    pairs([
      ["Paid balance", euro(paid_micro)],
      ["Starter credit", `${euro(promo_micro)}${ends}`],
      ["Wallet", wallet.wallet_id],
      ["Label", wallet.label ?? "none"],
      ["Owner", wallet.email_masked ?? "none"],
      ["Token", `… ${wallet.token_hint}`],
    ]),
  );
  const frozen = byId("frozen", HTMLElement);
  frozen.hidden = status !== "frozen";
}
