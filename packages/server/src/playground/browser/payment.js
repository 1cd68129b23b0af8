/** The cost of a decision, and the next steps if it could not be paid. */
import { el, pairs } from "/docs/dom.js";

const MICRO = 1_000_000;
const DIGITS = 4;
const euros = new Intl.NumberFormat("en", { style: "currency", currency: "EUR", minimumFractionDigits: DIGITS });
const counted = new Intl.NumberFormat("en");

export const euro = (/** @type {number} */ micro) => euros.format(micro / MICRO);

/** @param {{ rail: string, priceMicro: number, answered: import("./api.js").Answered }} paid @returns {Node[]} */
export function paymentParts({ rail, priceMicro, answered: { text, headers } }) {
  const receipt = headers.get("X-Rail-Receipt");
  const remaining = Number(headers.get("X-Meter-Remaining"));
  const balance = Number(headers.get("X-Meter-Balance-Micro"));
  const proof = new URLSearchParams({ receipt: receipt ?? "", answer: text });
  return [
    el("h2", {}, ["Paid"]),
    pairs([
      ["Price", euro(priceMicro)],
      ["Balance", `${counted.format(remaining)} ${remaining === 1 ? "decision" : "decisions"}, ${euro(balance)}`],
      ["Charge", headers.get("X-Rail-Charge") ?? "none"],
    ]),
    ...(receipt === null
      ? []
      : [
          el("p", { class: "proof" }, [
            // In the fragment, which browsers do not send.
            el("a", { id: "verify", href: `${rail}/verify#${proof}`, target: "_blank", rel: "noopener" }, [
              "Verify the receipt",
            ]),
            " ",
            el("span", { class: "soft" }, ["signed; covers this request and this response"]),
          ]),
          el("details", {}, [el("summary", {}, ["Receipt"]), el("pre", { id: "receipt", tabindex: 0 }, [receipt])]),
        ]),
  ];
}

/** @param {string} rail @param {import("./api.js").ProblemBody} problem @returns {Node[]} */
export function payingSteps(rail, { code, detail, title }) {
  const isEmpty = code === "wallet_empty";
  const page = el("a", { href: `${rail}/wallet`, target: "_blank", rel: "noopener" }, [`${new URL(rail).host}/wallet`]);
  const steps = isEmpty
    ? [["Open your wallet at ", page, "."], ["Top it up."], ["Come back and decide again."]]
    : [
        ["Create a wallet at ", page, ". It is free and includes credit."],
        ["Copy its token, which is shown only once, into the field “Wallet token”."],
        ["Decide again."],
      ];
  return [
    el("p", {}, [el("strong", {}, [`${title} (402). `]), isEmpty ? "Insufficient balance." : detail]),
    el(
      "ol",
      { id: "steps" },
      steps.map((step) => el("li", {}, step)),
    ),
    el("p", {}, [el("a", { href: `/problems/${code}` }, [`About ${code}`])]),
  ];
}
