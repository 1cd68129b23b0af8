/** Runs the examples of the client's README as one program against real services. */
import { readFile } from "node:fs/promises";

/** Addresses by default port, because the README uses the default ports. */
export type Addresses = Readonly<Record<"7001" | "7002" | "7003" | "7005", string>>;

const README = new URL("../../packages/client/README.md", import.meta.url);

export async function clientProgram(addresses: Addresses): Promise<string> {
  const text = await readFile(README, "utf8");
  const blocks = [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code);
  let program = blocks.join("\n");
  for (const [port, url] of Object.entries(addresses)) program = program.replace(`http://127.0.0.1:${port}`, url);
  return program;
}
