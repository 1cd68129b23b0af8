/** Builds the request body from the form. */

/** @typedef {{ operation: string, text: string, asMessages: boolean, decider: string, options: string, minConf: string, maxError: string }} Form */
/** @typedef {{ role: string, content: string }} Message */

/** `noul` and `score` rate the text itself and have no options. */
export function choosesRoute(/** @type {string} */ operation) {
  return operation !== "noul" && operation !== "score";
}

/**
 * `decider`: empty for the router's choice, `options` for custom options, else the name of an expert.
 * @returns {Record<string, unknown>}
 */
export function bodyOf(/** @type {Form} */ { operation, text, asMessages, decider, options, minConf, maxError }) {
  const judged = asMessages ? { messages: messagesOf(text) } : { state: text };
  if (!choosesRoute(operation)) return judged;
  return {
    ...judged,
    ...(decider === "options" ? { options: vocabularyOf(options) } : decider !== "" && { expert: decider }),
    ...(minConf !== "" && { min_conf: Number(minConf) }),
    ...(maxError !== "" && { max_error: Number(maxError) }),
  };
}

/** For a conversation, the last message of the user. @param {Form} form */
export function decidedText({ text, asMessages }) {
  if (!asMessages) return text;
  return messagesOf(text).findLast(({ role }) => role === "user")?.content ?? "";
}

/**
 * A line without a role continues the previous message.
 * @param {string} text
 * @returns {Message[]}
 */
export function messagesOf(text) {
  /** @type {Message[]} */
  const messages = [];
  for (const line of text.split("\n")) {
    const [, role, content] = /^\s*(system|developer|user|assistant|tool)\s*:\s?(.*)$/i.exec(line) ?? [];
    const last = messages.at(-1);
    if (role !== undefined) messages.push({ role: role.toLowerCase(), content: content ?? "" });
    else if (last !== undefined) last.content += `\n${line}`;
    else if (line.trim() !== "") messages.push({ role: "user", content: line });
  }
  return messages;
}

/** One option per line; the part before the first colon is the label. */
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

/**
 * The request as a shell command.
 *
 * @param {string} address
 * @param {Record<string, unknown>} body
 * @param {string | null} credential header with the shell variable
 */
export function curlCommand(address, body, credential) {
  const json = JSON.stringify(body, null, Object.keys(body).length > 1 ? 2 : 0);
  return [
    `curl ${address}`,
    ...(credential === null ? [] : [`  -H "${credential}"`]),
    `  -H 'Content-Type: application/json'`,
    `  -d '${json.replaceAll("'", `'\\''`)}'`,
  ].join(" \\\n");
}
