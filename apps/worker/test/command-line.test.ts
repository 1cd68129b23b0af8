import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { workerCommand } from "../src/command/worker-command.ts";
import { startPanel } from "./support/fake-panel.ts";
import { makeRepository, RED_FILES } from "./support/repository.ts";

const START = fileURLToPath(new URL("../../../start.mjs", import.meta.url));

test("rejects invalid arguments and an unavailable isolation level before any action", async () => {
  await using repository = makeRepository(RED_FILES);
  const parseIn = (environment: Readonly<Record<string, string>>, ...args: readonly string[]) =>
    workerCommand({ TRIPTYCH_DATA: join(repository.folder, "data"), ...environment })
      .configureOutput({ writeErr: () => {} })
      .parseAsync(args, { from: "user" });
  const parse = (...args: readonly string[]) => parseIn({}, ...args);
  await assert.rejects(parse("--slots", "0"), { code: "commander.invalidArgument", message: /from 1 to 1000/ });
  await assert.rejects(parse("--panel", "ftp://panel"), {
    code: "commander.invalidArgument",
    message: /http or https/,
  });
  await assert.rejects(parse("--agent", "nothing"), { code: "commander.invalidArgument", message: /name=program/ });
  await assert.rejects(parse("--token", "lic_x", "--isolation", "container"), /requires a local image/);
  await assert.rejects(parse("--agents", "codex, "), { code: "commander.invalidArgument", message: /agent names/ });
  await assert.rejects(parse("--token", "lic_x", "--agents", "mend, nope"), /Unknown agent nope/);
  // Help shows no environment value; an empty one counts as unset.
  const PANEL_URL = "panel.example?key=secret";
  await assert.rejects(parseIn({ PANEL_URL }, "--token", "lic_x"), {
    code: "commander.error",
    message: /^error: Invalid environment\. Correct or unset: PANEL_URL: http\(s\) URL of the panel[^?]*$/,
  });
  await assert.rejects(parseIn({ PANEL_URL: "", PANEL_TOKEN: "" }, "--token", ""), /license key required/);
  await assert.rejects(parseIn({ PANEL_TOKEN: "lic_x\nlic_y" }), /PANEL_TOKEN contains no valid license key\.$/);
});

test("reports invalid arguments and a missing key in one sentence, and runs every doctor check", async () => {
  await using repository = makeRepository(RED_FILES);
  await using panel = await startPanel(repository);
  const run = async (...args: readonly string[]) => {
    const env = { PATH: process.env["PATH"], TRIPTYCH_DATA: join(repository.folder, "data"), COLUMNS: "60" };
    const child = spawn(process.execPath, [START, "worker", ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const [code] = await once(child, "close");
    return { code, output };
  };
  const [noKey, slots, doctor, noFile] = await Promise.all([
    run(),
    run("--slots", "0"),
    run("--panel", panel.url, "--agent", 'fix=["a b","{worktree}"]', "doctor"),
    run("--token-file", join(repository.folder, "none"), "doctor"),
  ]);
  assert.match(noFile.output, /^key +missing +reading the license key file/m);
  assert.deepEqual([noKey.code, slots.code], [2, 2]);
  assert.match(noKey.output, /license key required, here or with --token-file/);
  assert.equal(doctor.code, 1);
  assert.match(doctor.output, /^agents +ok +fix 1, command 1/m);
  assert.match(doctor.output, /^git +ok +git version/m);
  assert.match(doctor.output, /^key +missing/m);
  assert.match(doctor.output, /^panel +missing +http:.*unexpected status 401/m);
});
