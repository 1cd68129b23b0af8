/** The responses and the receipt that the documentation shows. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { missingPart, readCurl, transcriptsIn } from "@triptych/server/testing/transcripts";
import { createRailFixture } from "../support/create-rail-fixture.ts";
import { runCommand } from "../support/run-command.ts";

const DOCUMENT = new URL("../../../../docs/rail.md", import.meta.url);
const ADDRESS = "http://127.0.0.1:7005";

test("docs/rail.md shows a wallet, a top-up, a purchase and its receipt", async () => {
  await using fixture = await createRailFixture();
  const folder = await mkdtemp(join(tmpdir(), "triptych-rail-"));
  try {
    const jwks = join(folder, "jwks.json");
    const values: Record<string, string> = {};
    let receipt = "";
    let count = 0;
    for (const { command, output } of transcriptsIn(await readFile(DOCUMENT, "utf8"))) {
      let actual = "";
      if (command.startsWith("curl") && command.includes("localhost:7005")) {
        const { path, method, headers, body } = readCurl(command, values);
        const res = await fixture.ask(path, { method, headers, ...(body !== null && { body }) });
        assert.ok(res.statusCode < 300, res.body);
        const answer = res.json();
        values["TOKEN"] ??= answer.wallet_token;
        receipt = answer.receipt ?? receipt;
        if (path.endsWith("jwks.json")) await writeFile(jwks, res.body);
        else actual = res.body;
      } else if (command.includes("receipt verify")) {
        const { code, stdout, stderr } = await runCommand(["receipt", "verify", receipt, "--jwks", jwks], {});
        assert.equal(code, 0, stderr);
        actual = stdout;
      } else continue;
      const missing = missingPart(output, actual.replaceAll("http://rail.test", ADDRESS));
      assert.equal(missing, null, `${command}\n${actual}`);
      count += 1;
    }
    assert.equal(count, 5);
  } finally {
    await rm(folder, { recursive: true });
  }
});
