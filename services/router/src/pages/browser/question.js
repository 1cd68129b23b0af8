/** What the form asks, as the body of a request. */

/** @typedef {{ state: string, decider: string, options: string, minConf: string, maxError: string }} Form */

/** `decider`: empty for the router's choice, `options` for a vocabulary, else the name of an expert. @returns {Record<string, unknown>} */
export function bodyOf(/** @type {Form} */ { state, decider, options, minConf, maxError }) {
  return {
    state,
    ...(decider === "options" ? { options: vocabularyOf(options) } : decider !== "" && { expert: decider }),
    ...(minConf !== "" && { min_conf: Number(minConf) }),
    ...(maxError !== "" && { max_error: Number(maxError) }),
  };
}

/** One option a line: what stands before the first colon is the label. */
function vocabularyOf(/** @type {string} */ text) {
  const lines = text.split("\n").map((line) => line.trim());
  return Object.fromEntries(
    lines
      .filter((line) => line !== "")
      .map((line) => {
        const colon = line.indexOf(":");
        return colon < 0 ? [line, null] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim() || null];
      }),
  );
}
