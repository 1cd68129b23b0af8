/** Renders the response of any of the five operations. */
import { el } from "/docs/dom.js";
import * as parts from "./response-parts.js";

/** @typedef {import("./api.js").Answer} Answer */
/** @typedef {import("./api.js").Escalation} Escalation */

const ACTIONS = { tool_call: "Call the tool", generate: "Generate an answer", delegate: "Delegate" };
const LEVELS = ["", "one direct step", "a choice, or several arguments", "several steps", "long work"];

/** @param {string} text @param {Answer} answer @returns {(Node | null)[]} */
export function answerParts(text, answer) {
  switch (answer.object) {
    case "route":
      return routed(text, answer);
    case "decision":
      return decided(text, answer);
    case "noul":
      return judged(text, answer);
    case "score":
      return scored(text, answer);
    case "assessment":
      return assessed(text, answer);
  }
}

/** @param {string} text @param {import("./api.js").RouteAnswer} answer */
function routed(text, answer) {
  const { action, route, reason_text, confidence, gate_confidence, p_yes, tier } = answer;
  return [
    parts.verdict(ACTIONS[action], { kind: action, small: route, sentence: reason_text }),
    parts.confidence("Confidence", confidence),
    parts.facts(answer, [
      ...parts.decisionFacts(answer),
      ["Escalate", parts.percent(p_yes)],
      ["Complexity", `${tier} of 4, ${LEVELS[tier]}`],
      ...(gate_confidence === undefined ? [] : [/** @type {const} */ (["Gate", parts.percent(gate_confidence)])]),
    ]),
    parts.heading("Probabilities"),
    parts.probabilityBars(answer.probabilities, route),
    ...parts.reasons(text, answer.explanation),
  ];
}

/** @param {string} text @param {import("./api.js").DecideAnswer} answer */
function decided(text, answer) {
  return [
    parts.verdict(answer.choice, {
      kind: answer.abstain ? "delegate" : "tool_call",
      sentence: answer.abstain ? "Too uncertain, or to be escalated: route would delegate." : "",
    }),
    parts.confidence("Confidence", answer.confidence),
    parts.facts(answer, parts.decisionFacts(answer)),
    parts.heading("Probabilities"),
    parts.probabilityBars(answer.probabilities, answer.choice),
    ...parts.reasons(text, answer.explanation),
  ];
}

/** @param {string} text @param {import("./api.js").NoulAnswer} answer */
function judged(text, answer) {
  return [
    parts.verdict(answer.escalate ? "Escalate: yes" : "Escalate: no", {
      kind: answer.escalate ? "delegate" : "generate",
    }),
    ...escalation(answer),
    parts.facts(answer, []),
    ...parts.reasons(text, answer.explanation),
  ];
}

/** @param {Escalation} escalation */
function escalation({ p_yes, threshold, escalate, rules }) {
  const fired = rules.length > 0 ? ` Matched rules: ${rules.join(", ")}.` : "";
  return [
    el("div", { id: "escalation", class: "bars" }, [
      parts.bar({ label: escalate ? "yes" : "no", note: "probability of yes", share: p_yes, isChosen: escalate }),
    ]),
    el("p", { id: "rules", class: "soft" }, [`Escalation threshold: ${parts.percent(threshold)}.${fired}`]),
  ];
}

/** @param {string} text @param {import("./api.js").ScoreAnswer} answer */
function scored(text, answer) {
  const { complexity, expected, confidence } = answer;
  return [
    parts.verdict(`Complexity ${complexity}`, { kind: "tool_call", sentence: LEVELS[complexity] }),
    parts.confidence("Confidence", confidence),
    parts.facts(answer, [["Mean level", expected.toFixed(2)]]),
    parts.heading("Complexity, 1 to 4"),
    parts.levelBars(answer.probabilities, complexity),
    ...parts.reasons(text, answer.explanation),
  ];
}

/** @param {string} text @param {import("./api.js").AssessAnswer} answer */
function assessed(text, answer) {
  const { action, decision, complexity } = answer;
  return [
    parts.verdict(ACTIONS[action], { kind: action, small: decision.choice }),
    parts.confidence("Confidence", decision.confidence),
    parts.facts(answer, parts.decisionFacts(decision)),
    parts.heading("Probabilities"),
    parts.probabilityBars(decision.probabilities, decision.choice),
    ...parts.reasons(text, decision.explanation),
    parts.heading("Escalate?"),
    ...escalation(answer.escalation),
    parts.heading("Complexity, 1 to 4"),
    parts.levelBars(complexity.probabilities, complexity.complexity),
  ];
}
