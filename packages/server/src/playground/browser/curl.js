/** The request as a shell command. */

/**
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
