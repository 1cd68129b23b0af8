/** The product in its own process and data folder, started as by a user. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const START = fileURLToPath(new URL("../../start.mjs", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Product {
  readonly url: string;
  readonly pid: number;
  /** URL of another service of the same start. */
  addressOf(service: string): string;
  /** Stdout so far. */
  log(): string;
  /** Stderr so far. */
  errorLog(): string;
  /** Sends the signal and waits; returns the exit code, null after a signal. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface Installation extends AsyncDisposable {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Starts all services, with additional variables. */
  start(variables?: Readonly<Record<string, string>>): Promise<Product>;
  /** Only the directory, which saves two thirds of the time. */
  startDirectory(variables?: Readonly<Record<string, string>>): Promise<Product>;
  startPanel(variables?: Readonly<Record<string, string>>): Promise<Product>;
  startOnly(services: readonly string[], variables?: Readonly<Record<string, string>>): Promise<Product>;
  /** Runs a command to completion. */
  run(args: readonly string[], variables?: Readonly<Record<string, string>>): Promise<Finished>;
  /** Kills a command after so many milliseconds, unless it has ended. */
  killAfter(args: readonly string[], ms: number): Promise<void>;
  demoWallet(): Promise<{ readonly token: string }>;
  credentials(): Promise<{ readonly url: string; readonly discovery_key: string; readonly pro_key: string }>;
  /** The URL of each service that has written one. */
  origins(): Promise<Readonly<Record<string, string>>>;
}

export async function openInstallation(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-"));
  const environment = {
    PATH: process.env["PATH"] ?? "",
    TRIPTYCH_DATA: join(folder, "data"),
    DIRECTORY_PORT: "0",
    RAIL_PORT: "0",
    ROUTER_PORT: "0",
    GATEWAY_PORT: "0",
    PANEL_PORT: "0",
    // A worker only when a test needs it.
    PANEL_EMBEDDED_WORKER: "0",
  };
  const running = new Set<Product>();

  async function start(services: readonly string[], variables: Readonly<Record<string, string>>): Promise<Product> {
    const first = new RegExp(`${services[0] ?? "directory"} +(http://\\S+)`);
    const child = spawn(process.execPath, [START, "start", ...services], {
      env: { ...environment, ...variables },
      stdio: "pipe",
    });
    const ended = once(child, "exit");
    const captured = { stdout: "", stderr: "" };
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    child.stdout.setEncoding("utf8").on("data", (text: string) => (captured.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      captured.stderr += text;
      // The table is the last output of a start, written in one piece.
      const url = first.exec(captured.stderr)?.[1];
      if (url !== undefined) resolve(url);
    });
    void ended.then(([code]) => reject(new Error(`the product exited with ${String(code)}: ${captured.stderr}`)));
    const url = await promise;
    const product: Product = {
      url,
      pid: child.pid ?? 0,
      addressOf: (service) => new RegExp(`^ *${service} +(http://\\S+)`, "m").exec(captured.stderr)?.[1] ?? "",
      log: () => captured.stdout,
      errorLog: () => captured.stderr,
      async end(signal) {
        running.delete(product);
        child.kill(signal);
        const [code] = await ended;
        return typeof code === "number" ? code : null;
      },
    };
    running.add(product);
    return product;
  }

  async function written() {
    return JSON.parse(await readFile(join(folder, "data", "credentials.json"), "utf8"));
  }

  return {
    folder,
    environment,
    start: (variables = {}) => start([], variables),
    startDirectory: (variables = {}) => start(["directory"], variables),
    startPanel: (variables = {}) => start(["panel"], variables),
    startOnly: (services, variables = {}) => start(services, variables),
    async run(args, variables = {}) {
      const child = spawn(process.execPath, [START, ...args], {
        env: { ...environment, ...variables },
        stdio: "pipe",
      });
      const captured = { stdout: "", stderr: "" };
      child.stdout.setEncoding("utf8").on("data", (text: string) => (captured.stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (captured.stderr += text));
      const [code] = await once(child, "close");
      return { code: typeof code === "number" ? code : null, ...captured };
    },
    async killAfter(args, ms) {
      const child = spawn(process.execPath, [START, ...args], { env: environment, stdio: "ignore" });
      const ended = once(child, "exit");
      await Promise.race([ended, setTimeout(ms)]);
      child.kill("SIGKILL");
      await ended;
    },
    async demoWallet() {
      const { rail } = JSON.parse(await readFile(join(folder, "data", "credentials.json"), "utf8"));
      return { token: rail.demo_wallet_token };
    },
    async credentials() {
      return (await written()).directory;
    },
    async origins() {
      const sections: [string, { url: string }][] = Object.entries(await written());
      return Object.fromEntries(sections.map(([service, { url }]) => [service, url]));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((product) => product.end("SIGKILL")));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Sends one request; returns the JSON. */
export async function ask(url: string, path: string, key?: string) {
  const response = await fetch(`${url}${path}`, key === undefined ? {} : { headers: { "X-API-Key": key } });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}
