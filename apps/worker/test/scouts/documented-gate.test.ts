import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { missingPart, transcriptsIn } from "@triptych/server/testing/transcripts";
import { askGate } from "../../src/scouts/gate-command/gate.ts";

const ROOT = new URL("../../../../", import.meta.url);

test("docs/explore.md shows the gate of a dead link in the demo repository", async () => {
  const [gate, exit] = transcriptsIn(await readFile(new URL("docs/explore.md", ROOT), "utf8"));
  const [, args = ""] = /^triptych gate (.+)/.exec(gate.command) ?? [];
  const folder = fileURLToPath(new URL("services/panel/demo/slugger/", ROOT));
  const { code, message } = await askGate(args.split(" "), { folder, environment: {} });
  assert.equal(missingPart(gate.output, message), null, message);
  assert.equal(exit.command, "echo $?");
  assert.equal(Number(exit.output), code);
});
