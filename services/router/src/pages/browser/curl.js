/** The request as a command for a shell. */

/** @param {string} origin @param {Record<string, unknown>} body */
export function curlCommand(origin, body, { needsToken = false } = {}) {
  const json = JSON.stringify(body, null, Object.keys(body).length > 1 ? 2 : 0);
  return [
    `curl ${origin}/v1/route`,
    ...(needsToken ? [`  -H "Authorization: Bearer $ROUTER_TOKEN"`] : []),
    `  -H 'Content-Type: application/json'`,
    `  -d '${json.replaceAll("'", `'\\''`)}'`,
  ].join(" \\\n");
}
