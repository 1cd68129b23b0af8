/** An installed `triptych` with all services on free ports. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";

const START = "node_modules/@triptych/cli/start.mjs";
const TIMEOUT_MS = 300_000;
const POLL_MS = 200;

interface Credentials {
  readonly directory: { readonly url: string; readonly pro_key: string };
  readonly gateway: { readonly url: string };
  readonly rail: { readonly url: string; readonly demo_wallet_token: string };
  readonly panel: { readonly url: string; readonly pro: { readonly access_token: string } };
}

export interface Installed {
  readonly credentials: Credentials;
  /** The data folder. */
  readonly data: string;
  /** Returns the standard output of a command; rejects with its exit code. */
  run(args: readonly string[]): Promise<string>;
  /** Repeats a query until it returns anything but false. */
  until<T>(query: () => Promise<T | false>): Promise<T>;
  stop(): Promise<void>;
}

export async function startInstalled(options: { readonly node: string; readonly folder: string }): Promise<Installed> {
  const { node, folder } = options;
  const data = await mkdtemp(join(folder, "data-"));
  const ports = ["DIRECTORY", "RAIL", "ROUTER", "GATEWAY", "PANEL"].map((name) => [`${name}_PORT`, "0"]);
  const env = { PATH: process.env["PATH"], HOME: folder, TRIPTYCH_DATA: data, ...Object.fromEntries(ports) };
  const args = ["--disable-warning=ExperimentalWarning", START];
  const child = spawn(node, [...args, "start"], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const until = async <T>(query: () => Promise<T | false>): Promise<T> => {
    const deadline = Date.now() + TIMEOUT_MS;
    for (;;) {
      const found = await query().catch(() => false as const);
      if (found !== false) return found;
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`No answer in time: ${output}`);
      await wait(POLL_MS);
    }
  };
  const credentials = await until(async () => {
    const parsed: Partial<Credentials> = JSON.parse(await readFile(join(data, "credentials.json"), "utf8"));
    const { directory, gateway, rail, panel } = parsed;
    if (directory === undefined || gateway === undefined || rail === undefined || panel === undefined) return false;
    return (await fetch(`${panel.url}/readyz`)).ok && { directory, gateway, rail, panel };
  });
  return {
    credentials,
    data,
    until,
    run: async (words) =>
      (await promisify(execFile)(node, [...args, ...words], { cwd: folder, env: { ...env, FORCE_COLOR: "0" } })).stdout,
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}
