import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SERVE = fileURLToPath(new URL("./children/serve.ts", import.meta.url));

/** The file size limit of the process. For SQLite, it has the same effect as a full disk. */
function limitFiles(pid: number, bytes: number | "unlimited"): void {
  execFileSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`]);
}

test("is not ready while the disk is full, and is ready again afterwards", async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "triptych-rail-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
  const env = { TRIPTYCH_DATA: folder, RAIL_PORT: "0", LOG_LEVEL: "silent", PATH, NODE_COMPILE_CACHE, NODE_OPTIONS };
  const child = spawn(process.execPath, [SERVE], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  opened.defer(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const url = String(line);
  const { pid } = child;
  assert.ok(pid !== undefined);
  const { demo_wallet_token: token } = JSON.parse(await readFile(join(folder, "credentials.json"), "utf8")).rail;
  const readiness = async () => {
    const response = await fetch(`${url}/readyz`);
    const body: { readonly detail?: string } = JSON.parse(await response.text());
    return { status: response.status, detail: body.detail };
  };
  const untilReadinessIs = async (status: number) => {
    const end = Date.now() + 10_000;
    let latest = await readiness();
    while (latest.status !== status && Date.now() < end) latest = await readiness();
    return latest;
  };
  const topUp = async (key: string) => {
    const headers = { "Content-Type": "application/json", "X-Rail-Wallet": token, "Idempotency-Key": key };
    const body = JSON.stringify({ amount_micro: 1_000_000 });
    return (await fetch(`${url}/v1/topup`, { method: "POST", headers, body })).status;
  };
  assert.equal((await readiness()).status, 200);

  limitFiles(pid, 1);
  assert.equal(await topUp("full"), 503);
  assert.deepEqual(await untilReadinessIs(503), { status: 503, detail: "The ledger is read-only." });

  limitFiles(pid, "unlimited");
  assert.equal((await untilReadinessIs(200)).status, 200);
  assert.equal(await topUp("room"), 201);
});
