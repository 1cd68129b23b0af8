/** Foreign emulators and the product's services as processes; this file stops what it starts. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const START = fileURLToPath(new URL("../start.mjs", import.meta.url));
const EMULATE = fileURLToPath(new URL("stripe/node_modules/emulate/dist/index.js", import.meta.url));

const STATEFUL_MOCK = fileURLToPath(new URL("stripe/node_modules/stripe-stateful-mock/dist/cli.js", import.meta.url));

export interface Running extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Output so far. */
  output(): string;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("no free port");
  return address.port;
}

export function startEmulator(port: number, seedFile: string): Promise<Running> {
  const args = [EMULATE, "start", "--service", "stripe", "--port", String(port), "--seed", seedFile];
  return run(args, {}, `http://127.0.0.1:${port}/v1/products`);
}

/** Stripe's charges, customers and idempotency. */
export function startStatefulMock(port: number): Promise<Running> {
  return run([STATEFUL_MOCK], { PORT: String(port), LOG_LEVEL: "silent" }, `http://127.0.0.1:${port}/v1/products`);
}

export function startDirectory(environment: Readonly<Record<string, string>>): Promise<Running> {
  return run([START, "start", "directory"], environment, `http://127.0.0.1:${environment["DIRECTORY_PORT"]}/readyz`);
}

export function startRail(environment: Readonly<Record<string, string>>): Promise<Running> {
  return run([START, "start", "rail"], environment, `http://127.0.0.1:${environment["RAIL_PORT"]}/readyz`);
}

export function startRouter(environment: Readonly<Record<string, string>>): Promise<Running> {
  return run([START, "start", "router"], environment, `http://127.0.0.1:${environment["ROUTER_PORT"]}/readyz`);
}

/** Rail, router and gateway in one process, which connects them. */
export function startHosted(environment: Readonly<Record<string, string>>): Promise<Running> {
  const ready = `http://127.0.0.1:${environment["GATEWAY_PORT"]}/readyz`;
  return run([START, "start", "rail", "router", "gateway"], environment, ready);
}

export function startPanel(environment: Readonly<Record<string, string>>): Promise<Running> {
  return run([START, "start", "panel"], environment, `http://127.0.0.1:${environment["PANEL_PORT"]}/readyz`);
}

/** Ready when it reports its connection. */
export function startWorker(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Running> {
  return run([START, "worker", ...args], environment, /connected to/);
}

/** Runs a command of the product to its end. */
export async function triptych(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [START, ...args], { env: { ...basics(), ...environment } });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (out += text.toString()));
  const [code]: unknown[] = await once(child, "close");
  return { code, out };
}

const basics = () => ({ PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/tmp" });
const DEFAULT_TIMEOUT_MS = 30_000;

async function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  /** Waits for an address that responds, or for its output. */
  ready: string | RegExp,
): Promise<Running> {
  const child = spawn(process.execPath, args, {
    env: { ...basics(), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (output += text.toString()));
  const running: Running = {
    child,
    output: () => output,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
  await until(`${String(ready)} answers`, async () => {
    if (child.exitCode !== null) throw new Error(`the process exited with ${child.exitCode}:\n${output}`);
    if (typeof ready !== "string") return ready.test(output);
    return (await fetch(ready).catch(() => null)) !== null;
  });
  return running;
}

/** Polls: both sides are processes, so there is no event to await. */
export async function until(what: string, isSo: () => Promise<boolean>, timeoutMs = DEFAULT_TIMEOUT_MS): Promise<void> {
  for (const end = Date.now() + timeoutMs; !(await isSo()); await wait(100))
    if (Date.now() > end) throw new Error(`Timeout after ${timeoutMs / 1000} s: ${what}.`);
}
