/** Puts a decision on the page. */
import { byId, el, pairs } from "./dom.js";
import { explainedWords } from "./explained-words.js";

/** @typedef {import("./api.js").Decision} Decision */
/** @typedef {import("./api.js").Assessment} Assessment */

const ACTIONS = { tool_call: "Call the tool", generate: "Generate an answer", delegate: "Delegate" };
const SHOWN_ROUTES = 8;
const SHOWN_EVIDENCE = 8;

/** @param {string} text @param {Decision} decision @param {Assessment} assessment */
export function showAnswer(text, decision, assessment) {
  showVerdict(decision);
  showProbabilities(decision);
  showReasons(text, decision);
  showEscalation(assessment);
  showComplexity(assessment);
}

function showVerdict(/** @type {Decision} */ decision) {
  const action = byId("action", HTMLElement);
  action.textContent = ACTIONS[decision.action];
  action.className = decision.action;
  byId("route", HTMLElement).textContent = decision.route;
  byId("reason", HTMLElement).textContent = decision.reason_text;
  const { confidence, latency_ms, domain, expert, gate_confidence, usage, basis, via, set } = decision;
  byId("facts", HTMLElement).replaceChildren(
    pairs([
      ["Confidence", percent(confidence)],
      ["Decided in", `${latency_ms.toFixed(3)} ms`],
      ["Expert", expert ?? "none: options of your own"],
      ["Part of the engine", basis === "head" ? `head, ${via}` : via],
      ["Subject", domain ?? "unsure"],
      [
        "Could also be",
        set === undefined ? "not said" : set.filter((one) => one !== decision.route).join(", ") || "nothing else",
      ],
      ["Read", `${usage.input_tokens} tokens${usage.truncated ? ", not all of them" : ""}`],
      ...(gate_confidence === undefined ? [] : [/** @type {[string, string]} */ (["Gate", percent(gate_confidence)])]),
    ]),
  );
}

function showProbabilities(/** @type {Decision} */ { probabilities, route }) {
  const ranked = Object.entries(probabilities).sort(([, a], [, b]) => b - a);
  const shown = ranked.slice(0, SHOWN_ROUTES).map(([label, p]) => bar({ label, share: p, isChosen: label === route }));
  const rest = ranked.length - shown.length;
  byId("probabilities", HTMLElement).replaceChildren(
    ...shown,
    ...(rest > 0 ? [el("p", { class: "soft" }, [`and ${rest} less likely ${rest === 1 ? "route" : "routes"}`])] : []),
  );
}

function showReasons(/** @type {string} */ text, /** @type {Decision} */ { explanation }) {
  const { choice, versus, evidence } = explanation;
  byId("against", HTMLElement).textContent = versus === null ? "" : `${choice} rather than ${versus}`;
  byId("words", HTMLElement).replaceChildren(...explainedWords(text, evidence));
  const most = Math.max(1e-9, ...evidence.map(({ contribution }) => Math.abs(contribution)));
  byId("evidence", HTMLElement).replaceChildren(
    ...evidence.slice(0, SHOWN_EVIDENCE).map(({ feature, kind, contribution }) =>
      bar({
        label: feature,
        note: kind,
        share: Math.abs(contribution) / most,
        text: `${contribution < 0 ? "−" : "+"}${Math.abs(contribution).toFixed(2)}`,
        isAgainst: contribution < 0,
      }),
    ),
  );
}

function showEscalation(/** @type {Assessment} */ { escalation: { p_yes, threshold, escalate, rules } }) {
  byId("escalation", HTMLElement).replaceChildren(
    bar({ label: escalate ? "yes" : "no", note: "probability of yes", share: p_yes, isChosen: escalate }),
  );
  const fired = rules.length > 0 ? ` Rules that fired: ${rules.join(", ")}.` : "";
  byId("rules", HTMLElement).textContent = `Escalated from ${percent(threshold)} on.${fired}`;
}

function showComplexity(/** @type {Assessment} */ { complexity: { complexity, probabilities } }) {
  byId("complexity", HTMLElement).replaceChildren(
    ...Object.entries(probabilities).map(([level, p]) =>
      bar({ label: level, share: p, isChosen: Number(level) === complexity }),
    ),
  );
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
function bar(/** @type {Bar} */ { label, share, note, text, isChosen = false, isAgainst = false }) {
  const fill = el("span", { class: isAgainst ? "fill against" : "fill" });
  fill.style.setProperty("--share", String(share));
  return el("div", { class: isChosen ? "row chosen" : "row" }, [
    el("span", { class: "label" }, [label, note === undefined ? null : el("span", { class: "soft" }, [` ${note}`])]),
    el("span", { class: "track", "aria-hidden": "true" }, [fill]),
    el("span", { class: "share" }, [text ?? percent(share)]),
  ]);
}

function percent(/** @type {number} */ share) {
  const shown = share * 100;
  if (shown > 0 && shown < 0.1) return "< 0.1 %";
  return `${shown > 99.9 && shown < 100 ? "> 99.9" : shown.toFixed(1)} %`;
}
