/** Starts the product on an empty folder, waits for the demo's run and scout, and prints the duration. */
import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pass } from "../chaos/panel-client.ts";
import { startProgram } from "../chaos/program.ts";
import { ask } from "./bench-panel.ts";

export interface Started {
  readonly listensMs: number;
  readonly endedMs: number;
  readonly state: string;
  /** Candidates with a failing gate. */
  readonly candidates: number;
}

const POLL_INTERVAL_MS = 20;
const TIMEOUT_MS = 120_000;
const PORTS = ["PANEL_PORT", "DIRECTORY_PORT", "GATEWAY_PORT", "ROUTER_PORT", "RAIL_PORT"];

const [, , folder = "."] = process.argv;
const data = await mkdtemp(join(folder, "start-"));
const ports = Object.fromEntries(PORTS.map((name) => [name, "0"]));
const environment = { TRIPTYCH_DATA: data, HOME: data, LOG_LEVEL: "warn", ...ports };
const startedAt = performance.now();
await using program = startProgram({ args: ["start"], environment, onOutput: (text) => process.stderr.write(text) });
const { url, pro } = await credentials();
const listensMs = performance.now() - startedAt;
const client = { url, accessToken: pro.access_token };
for (;;) {
  const { items } = await ask(client, "GET", "/api/runs");
  const run = items.find(({ kind }: { readonly kind: string }) => kind === "maintain");
  if (items.length > 1 && items.every(({ phase }: { readonly phase: string }) => phase !== "active")) {
    const endedMs = performance.now() - startedAt;
    const candidates = await ask(client, "GET", `/api/repos/${run.repo_id}/candidates`);
    const isRed = (candidate: { readonly gate_proof: { readonly exit_code: number } }) =>
      candidate.gate_proof.exit_code !== 0;
    const started: Started = {
      listensMs,
      endedMs,
      state: run.state,
      candidates: candidates.items.filter(isRed).length,
    };
    process.stdout.write(JSON.stringify(started));
    break;
  }
  if (performance.now() - startedAt > TIMEOUT_MS) throw new Error(`the demo run has not ended after ${TIMEOUT_MS} ms`);
  await pass(POLL_INTERVAL_MS);
}

/** Written once the panel listens. */
async function credentials(): Promise<{ readonly url: string; readonly pro: { readonly access_token: string } }> {
  for (;;) {
    const text = await readFile(join(data, "credentials.json"), "utf8").catch(() => "{}");
    const { panel } = JSON.parse(text);
    if (typeof panel?.url === "string") return panel;
    program.check();
    await pass(POLL_INTERVAL_MS);
  }
}
