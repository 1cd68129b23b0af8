/** Asks this router. The token, where one is needed, stays in this tab. */

/** @typedef {{ feature: string, kind: string, weight: number, contribution: number }} Evidence */
/** @typedef {{ choice: string, versus: string | null, logit_difference: number, bias: number, other: number, evidence: readonly Evidence[] }} Explanation */
/**
 * @typedef {object} Decision
 * @property {"tool_call" | "generate" | "delegate"} action
 * @property {string} route
 * @property {number} confidence
 * @property {Record<string, number>} probabilities
 * @property {string} reason
 * @property {string} reason_text
 * @property {string} [domain]
 * @property {string} [expert]
 * @property {number} [gate_confidence]
 * @property {readonly string[]} [set]
 * @property {string} basis
 * @property {string} via
 * @property {Explanation} explanation
 * @property {number} latency_ms
 * @property {{ input_tokens: number, truncated: boolean }} usage
 */
/**
 * @typedef {object} Assessment
 * @property {{ escalate: boolean, p_yes: number, threshold: number, rules: readonly string[] }} escalation
 * @property {{ complexity: number, probabilities: Record<string, number> }} complexity
 */
/** @typedef {{ name: string, routes: readonly { route: string }[] }} Expert */
/** @typedef {{ code: string, detail: string, errors?: readonly { path: string, message: string }[] }} ProblemBody */

export class ApiProblem extends Error {
  /** @param {number} status @param {ProblemBody} body */
  constructor(status, body) {
    const faults = (body.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
    super(faults.length > 0 ? faults.join("\n") : body.detail);
    this.status = status;
  }
}

export function createApi(/** @type {() => string} */ token) {
  /** @param {string} path @param {object} [body] */
  async function ask(path, body) {
    const given = token();
    const answer = await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(given !== "" && { Authorization: `Bearer ${given}` }),
      },
    });
    if (!answer.ok) throw new ApiProblem(answer.status, await answer.json());
    return answer.json();
  }

  return {
    /** @returns {Promise<Decision>} */
    route: (/** @type {object} */ body) => ask("/v1/route", body),
    /** @returns {Promise<Assessment>} */
    assess: (/** @type {object} */ body) => ask("/v1/assess", body),
    /** @returns {Promise<readonly Expert[]>} */
    experts: async () => (await ask("/v1/experts")).data,
  };
}
