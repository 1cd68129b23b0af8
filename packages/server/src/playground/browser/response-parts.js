/** Building blocks of decisions on the page: verdict, bars, facts, evidence. */
import { el, pairs } from "/docs/dom.js";
import { highlightEvidence } from "./explained-terms.js";

const ROUTES_MAX = 8;
const EVIDENCE_MAX = 8;

/**
 * @param {string} big
 * @param {{ kind: string, small?: string, sentence?: string }} more
 */
export function verdict(big, { kind, small = "", sentence = "" }) {
  return el("div", { class: `verdict ${kind}` }, [
    el("strong", { id: "action" }, [big]),
    " ",
    small === "" ? null : el("span", { id: "route", class: "mono" }, [small]),
    sentence === "" ? null : el("p", { id: "reason", class: "soft" }, [sentence]),
  ]);
}

export const heading = (/** @type {string} */ text, /** @type {string} */ more = "") =>
  el("h2", {}, [text, more === "" ? null : el("span", { class: "soft" }, [` ${more}`])]);

/** @param {import("./api.js").Common} answer @param {readonly (readonly [string, string])[]} more */
export function facts({ latency_ms, domain, expert, usage }, more) {
  return el("div", { id: "facts" }, [
    pairs([
      ...more,
      ["Decided in", `${latency_ms.toFixed(3)} ms`],
      ...(expert === undefined ? [] : [/** @type {const} */ (["Expert", expert])]),
      ...(domain === undefined ? [] : [/** @type {const} */ (["Subject", domain])]),
      ["Input", `${usage.input_tokens} tokens${usage.truncated ? ", truncated" : ""}`],
    ]),
  ]);
}

/** @param {import("./api.js").Standing} standing @returns {(readonly [string, string])[]} */
export function decisionFacts({ set, basis, via }) {
  const others = set?.slice(1) ?? [];
  return [
    ["Component", basis === "head" ? `head, ${via}` : via],
    ["Alternatives", set === undefined ? "not available" : others.join(", ") || "none"],
  ];
}

/** @param {string} label @param {number} share */
export function confidence(label, share) {
  return el("div", { class: "bars" }, [bar({ label, share, isChosen: true })]);
}

/** @param {Record<string, number>} probabilities @param {string} chosen */
export function probabilityBars(probabilities, chosen) {
  const ranked = Object.entries(probabilities).sort(([, a], [, b]) => b - a);
  const bars = ranked.slice(0, ROUTES_MAX).map(([label, p]) => bar({ label, share: p, isChosen: label === chosen }));
  const rest = ranked.length - bars.length;
  return el("div", { id: "probabilities", class: "bars" }, [
    ...bars,
    rest > 0 ? el("p", { class: "soft" }, [`and ${rest} less likely ${rest === 1 ? "route" : "routes"}`]) : null,
  ]);
}

/** @param {string} text @param {import("./api.js").Explanation | undefined} explanation @returns {Node[]} */
export function reasons(text, explanation) {
  if (explanation === undefined) return [];
  const { choice, versus, evidence } = explanation;
  const most = Math.max(1e-9, ...evidence.map(({ contribution }) => Math.abs(contribution)));
  return [
    heading("Why", versus === null ? "" : `${choice} rather than ${versus}`),
    el("p", { class: "words" }, highlightEvidence(text, evidence)),
    el(
      "div",
      { class: "bars evidence" },
      evidence.slice(0, EVIDENCE_MAX).map(({ feature, kind, contribution }) =>
        bar({
          label: feature,
          note: kind,
          share: Math.abs(contribution) / most,
          text: `${contribution < 0 ? "−" : "+"}${Math.abs(contribution).toFixed(2)}`,
          isAgainst: contribution < 0,
        }),
      ),
    ),
  ];
}

/** @param {Record<string, number>} probabilities @param {number} chosen */
export function levelBars(probabilities, chosen) {
  const bars = Object.entries(probabilities).map(([level, p]) =>
    bar({ label: level, share: p, isChosen: Number(level) === chosen }),
  );
  return el("div", { id: "complexity", class: "bars" }, bars);
}

/**
 * @typedef {object} Bar
 * @property {string} label
 * @property {number} share 0 to 1
 * @property {string} [note]
 * @property {string} [text] in place of the share
 * @property {boolean} [isChosen]
 * @property {boolean} [isAgainst]
 */
export function bar(/** @type {Bar} */ { label, share, note, text, isChosen = false, isAgainst = false }) {
  const fill = el("span", { class: isAgainst ? "fill against" : "fill" });
  fill.style.setProperty("--share", String(share));
  return el("div", { class: isChosen ? "row chosen" : "row" }, [
    el("span", { class: "label" }, [label, note === undefined ? null : el("span", { class: "soft" }, [` ${note}`])]),
    el("span", { class: "track", "aria-hidden": "true" }, [fill]),
    el("span", { class: "share" }, [text ?? percent(share)]),
  ]);
}

export function percent(/** @type {number} */ share) {
  const percentage = share * 100;
  if (percentage > 0 && percentage < 0.1) return "< 0.1%";
  return `${percentage > 99.9 && percentage < 100 ? "> 99.9" : percentage.toFixed(1)}%`;
}
