/** The commands of docs/rail.md with which two agents share a wallet, on a rail in this process. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { missingPart, transcriptsIn } from "@triptych/server/testing/transcripts";
import { createRailFixture } from "../../../services/rail/test/support/create-rail-fixture.ts";
import type { Context } from "../src/user/context.ts";
import { walletCommands } from "../src/user/wallet.ts";

const DOCUMENT = new URL("../../../docs/rail.md", import.meta.url);

async function run(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
  let out = "";
  const context: Context = {
    environment: { XDG_CONFIG_HOME: "/nonexistent", ...environment },
    stdin: [] as unknown as AsyncIterable<unknown>,
    stdout: { write: (text: string) => (out += text), columns: 100 },
    stderr: { write: (text: string) => (out += text) },
  };
  await walletCommands(context).parseAsync([...args], { from: "user" });
  return out;
}

test("docs/rail.md shows caps, tokens and what each token can still spend", async () => {
  await using fixture = await createRailFixture();
  const { token } = await fixture.openWallet();
  await fixture.hello();
  const environment = {
    RAIL_URL: await fixture.app.fastify.listen({ host: "127.0.0.1", port: 0 }),
    WALLET_TOKEN: token,
  };
  /** By name. */
  const tokens = new Map<string, string>();
  /** A decision of the agent, sold by the gateway. */
  const charge = async (name: string) => {
    const res = await fixture.batch({ charges: [fixture.charge(tokens.get(name) ?? "")] });
    assert.equal(res.statusCode, 200, res.body);
  };

  let count = 0;
  for (const { command, output } of transcriptsIn(await readFile(DOCUMENT, "utf8"))) {
    const [, args] = /^triptych wallet (.+)/.exec(command) ?? [];
    if (command.startsWith("curl") && command.includes("$SCOUT"))
      for (const name of ["scout", "scout", "writer"]) await charge(name);
    if (args === undefined) continue;
    fixture.pass(1000);
    const actual = await run(args.split(" "), environment);
    assert.equal(missingPart(output, actual), null, `${command}\n${actual}`);
    const [, name] = /^tokens create (\w+)/.exec(args) ?? [];
    if (name !== undefined) tokens.set(name, /^rail_test_.*$/m.exec(actual)?.[0] ?? "");
    count += 1;
  }
  assert.equal(count, 5);
});
