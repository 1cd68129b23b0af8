/** The only file of the page that sends requests. The token, if required, stays in this tab. */

/** @typedef {{ feature: string, kind: string, weight: number, contribution: number }} Evidence */
/** @typedef {{ choice: string, versus: string | null, logit_difference: number, bias: number, other: number, evidence: readonly Evidence[] }} Explanation */
/** @typedef {"route" | "decide" | "noul" | "score" | "assess"} Operation */
/**
 * @typedef {object} Standing
 * @property {number} confidence
 * @property {Record<string, number>} probabilities
 * @property {readonly string[]} [set]
 * @property {string} basis
 * @property {string} via
 * @property {Explanation} [explanation]
 */
/** @typedef {Standing & { choice: string, abstain: boolean, reason: string }} Choice */
/** @typedef {{ escalate: boolean, p_yes: number, threshold: number, rules: readonly string[], explanation?: Explanation }} Escalation */
/** @typedef {{ complexity: number, expected: number, confidence: number, probabilities: Record<string, number>, explanation?: Explanation }} Complexity */
/**
 * @typedef {object} Common
 * @property {string} [domain]
 * @property {string} [expert]
 * @property {number} latency_ms
 * @property {{ input_tokens: number, truncated: boolean }} usage
 */
/** @typedef {"tool_call" | "generate" | "delegate"} Action */
/** @typedef {Common & Standing & { object: "route", action: Action, route: string, p_yes: number, tier: number, reason_text: string, gate_confidence?: number }} RouteAnswer */
/** @typedef {Common & Choice & { object: "decision" }} DecideAnswer */
/** @typedef {Common & Escalation & { object: "noul" }} NoulAnswer */
/** @typedef {Common & Complexity & { object: "score" }} ScoreAnswer */
/** @typedef {Common & { object: "assessment", action: Action, decision: Choice, escalation: Escalation, complexity: Complexity }} AssessAnswer */
/** @typedef {RouteAnswer | DecideAnswer | NoulAnswer | ScoreAnswer | AssessAnswer} Answer */
/**
 * @typedef {{ text: string, answer: Answer, headers: Headers }} Answered the text is byte for byte the paid response
 */
/** @typedef {{ name: string, routes: readonly { route: string }[] }} Expert */
/** @typedef {{ code: string, title: string, detail: string, request_id?: string, errors?: readonly { path: string, message: string }[] }} ProblemBody */

export class ApiProblem extends Error {
  /** @param {number} status @param {ProblemBody} body */
  constructor(status, body) {
    const issues = (body.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
    super(issues.length > 0 ? issues.join("\n") : body.detail);
    this.status = status;
    this.body = body;
  }
}

/** @param {{ token: () => string, isPaid: boolean }} options */
export function createApi({ token, isPaid }) {
  /** @returns {Record<string, string>} */
  function credential() {
    const value = token();
    if (value === "") return {};
    return isPaid ? { "X-Rail-Wallet": value } : { Authorization: `Bearer ${value}` };
  }

  async function answered(/** @type {Response} */ response) {
    if (response.ok) return response;
    throw new ApiProblem(response.status, await response.json());
  }

  return {
    /**
     * Uses one idempotency key per click, so that network retries are billed once.
     * @param {Operation} operation
     * @param {object} body
     * @returns {Promise<Answered>}
     */
    async decide(operation, body) {
      const headers = {
        "Content-Type": "application/json",
        ...credential(),
        ...(isPaid && { "Idempotency-Key": crypto.randomUUID() }),
      };
      const sent = { method: "POST", headers, body: JSON.stringify(body) };
      const response = await answered(await fetch(`/v1/${operation}`, sent));
      const text = await response.text();
      return { text, answer: JSON.parse(text), headers: response.headers };
    },
    /** @returns {Promise<readonly Expert[]>} */
    experts: async () => (await (await answered(await fetch("/v1/experts", { headers: credential() }))).json()).data,
  };
}
