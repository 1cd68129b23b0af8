import { ApiProblem } from "./api.js";

/**
 * As many decimals as the amount needs, in three steps: cents, hundredths of cents (a decision costs five),
 * micro-euros.
 */
const [cents, hundredths, micros] = [2, 4, 6].map(
  (digits) => new Intl.NumberFormat("en", { style: "currency", currency: "EUR", minimumFractionDigits: digits }),
);
const counted = new Intl.NumberFormat("en");
const moment = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

const MICRO = 1_000_000;

export function euro(/** @type {number} */ micro) {
  return (micro % 10_000 === 0 ? cents : finest(micro)).format(micro / MICRO);
}

/** For a column: whole cents get as many decimals as decisions. */
export function columnEuro(/** @type {number} */ micro) {
  return finest(micro).format(micro / MICRO);
}

export function change(/** @type {number} */ micro) {
  return `${micro < 0 ? "\u2212" : "+"}${columnEuro(Math.abs(micro))}`;
}

function finest(/** @type {number} */ micro) {
  return micro % 100 === 0 ? hundredths : micros;
}

export const count = (/** @type {number} */ number) => counted.format(number);
export const timeOf = (/** @type {string} */ text) => moment.format(new Date(text));
export const dayOf = (/** @type {string} */ text) => day.format(new Date(text));

/** @type {Readonly<Record<string, string>>} */
const KINDS = {
  starter: "Starter credit",
  topup: "Top-up",
  charge: "Charge",
  void: "Refund (not delivered)",
  refund: "Refund",
  dispute: "Disputed payment",
  purchase: "Purchase",
  promo_expired: "Starter credit expired",
  adjustment: "Adjustment by the operator",
};

export const kindOf = (/** @type {string} */ kind) => KINDS[kind] ?? kind;

export function sentenceOf(/** @type {unknown} */ error) {
  if (!(error instanceof ApiProblem)) return "The rail is not responding. Nothing was changed. Try again.";
  const { detail, errors = [], request_id } = error.body;
  const issues = errors.map((error) => error.message).join(" ");
  return [detail, issues, request_id === undefined ? "" : `(${request_id})`].filter((part) => part !== "").join(" ");
}
