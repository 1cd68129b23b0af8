import type { Readable } from "node:stream";

const SHORTEST = 8;
const LONGEST = 1_000;

export async function readPassword(stdin: Readable): Promise<string> {
  let text = "";
  for await (const chunk of stdin.setEncoding("utf8")) {
    text += String(chunk);
    if (text.length > 2 * LONGEST) break;
  }
  const [line = ""] = text.split(/\r?\n/);
  if (line.length < SHORTEST || line.length > LONGEST)
    throw new Error(`The password on standard input must have ${SHORTEST} to ${LONGEST} characters.`);
  return line;
}
