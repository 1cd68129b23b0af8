/** The product as a process of its own, started as a person starts it, in a data folder of its own. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  /** Address of another service that was started with it. */
  addressOf(service: string): string;
  /** Everything written to stdout so far. */
  log(): string;
  /** Everything written to stderr so far: what a person is told. */
  told(): string;
  /** Sends the signal and waits for the end; answers the exit code, null when a signal ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface Stage extends AsyncDisposable {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Starts everything, with these variables too. */
  start(variables?: Readonly<Record<string, string>>): Promise<Product>;
  /** The directory alone, for what is said of nothing else: two thirds of the time. */
  startDirectory(variables?: Readonly<Record<string, string>>): Promise<Product>;
  startPanel(variables?: Readonly<Record<string, string>>): Promise<Product>;
  /** Runs a command to its end. */
  run(words: readonly string[], variables?: Readonly<Record<string, string>>): Promise<Finished>;
  demoWallet(): Promise<{ readonly token: string }>;
  credentials(): Promise<{ readonly url: string; readonly discovery_key: string; readonly pro_key: string }>;
  /** The address of each service that has written one. */
  origins(): Promise<Readonly<Record<string, string>>>;
}

export async function openStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "triptych-"));
  const environment = {
    PATH: process.env["PATH"] ?? "",
    TRIPTYCH_DATA: join(folder, "data"),
    DIRECTORY_PORT: "0",
    RAIL_PORT: "0",
    ROUTER_PORT: "0",
    GATEWAY_PORT: "0",
    PANEL_PORT: "0",
    // A worker of its own only where a test is about it.
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
    const heard = { stdout: "", stderr: "" };
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    child.stdout.setEncoding("utf8").on("data", (text: string) => (heard.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      heard.stderr += text;
      // The table is the last thing a start says, all of it at once.
      const url = first.exec(heard.stderr)?.[1];
      if (url !== undefined) resolve(url);
    });
    void ended.then(([code]) => reject(new Error(`it ended with ${String(code)}: ${heard.stderr}`)));
    const url = await promise;
    const product: Product = {
      url,
      pid: child.pid ?? 0,
      addressOf: (service) => new RegExp(`^ *${service} +(http://\\S+)`, "m").exec(heard.stderr)?.[1] ?? "",
      log: () => heard.stdout,
      told: () => heard.stderr,
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
    async run(words, variables = {}) {
      const child = spawn(process.execPath, [START, ...words], {
        env: { ...environment, ...variables },
        stdio: "pipe",
      });
      const heard = { stdout: "", stderr: "" };
      child.stdout.setEncoding("utf8").on("data", (text: string) => (heard.stdout += text));
      child.stderr.setEncoding("utf8").on("data", (text: string) => (heard.stderr += text));
      const [code] = await once(child, "close");
      return { code: typeof code === "number" ? code : null, ...heard };
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

/** Asks once; the answer's JSON. */
export async function ask(url: string, path: string, key?: string) {
  const response = await fetch(`${url}${path}`, key === undefined ? {} : { headers: { "X-API-Key": key } });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}
