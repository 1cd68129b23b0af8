/**
 * A shared panel for all stories: a process with its own worker, a forge on loopback, a repository there, a real browser. Stories run one
 * after the other and share its state.
 */
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startForge, type Forge } from "@triptych/fake-forge";
import { openBrowser } from "@triptych/server/testing";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { openInstallation, type Product, type Installation } from "../../test/support/product.ts";

export const FORGE_TOKEN = "forge-token-of-the-test";

export interface PanelFixture extends AsyncDisposable {
  readonly installation: Installation;
  readonly panel: Product;
  readonly forge: Forge;
  readonly browser: Browser;
  readonly keys: {
    readonly email: string;
    readonly password: string;
    readonly access_token: string;
    readonly license_key: string;
  };
  readonly free: { readonly email: string; readonly password: string };
  /** The token after the # of the printed link. */
  readonly link: string;
  api(path: string, options?: { readonly method?: string; readonly body?: unknown }): Promise<ApiResponse>;
  /** A signed-in page that records its console errors. */
  enter(options?: BrowserContextOptions, origin?: string): Promise<Visit>;
}

export interface ApiResponse {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the panel answers; what matters of it is asserted.
  readonly body: any;
}

export interface Visit extends AsyncDisposable {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly requests: readonly string[];
}

/** Allows for other load on the machine. */
export const LONG_TIMEOUT = { timeout: 60_000 };

/** @param variables additional environment of the panel. */
export async function openPanelFixture(variables: Readonly<Record<string, string>> = {}): Promise<PanelFixture> {
  const installation = await openInstallation();
  const started = installation.startPanel({
    PANEL_EMBEDDED_WORKER: "1",
    PANEL_ALLOW_LOCAL_REPOS: "1",
    PANEL_RATE_LOGIN: "1000",
    ...variables,
  });
  const [panel, browser] = await Promise.all([started, openBrowser()]);
  const credentials = JSON.parse(await readFile(join(installation.folder, "data", "credentials.json"), "utf8"));
  const keys = credentials.panel.pro;
  const link = await readFile(join(installation.folder, "data", "sign-in-link.txt"), "utf8");
  const forge = await startForge({ folder: join(installation.folder, "forge"), token: FORGE_TOKEN });

  return {
    installation,
    panel,
    forge,
    browser,
    keys,
    free: credentials.panel.free,
    link: /\/login#(\S+)/.exec(link)?.[1] ?? "",
    async api(path, { method = "GET", body } = {}) {
      const answer = await fetch(panel.url + path, {
        method,
        headers: {
          Authorization: `Bearer ${keys.access_token}`,
          ...(body !== undefined && { "Content-Type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get("content-type")?.includes("json") === true;
      return { status: answer.status, body: isJson ? JSON.parse(text) : text };
    },
    async enter(options = {}, origin = panel.url) {
      const visit = await openVisit(browser, options);
      await visit.page.goto(`${origin}/login`);
      // In any language.
      await visit.page.locator("[name=email]").fill(keys.email);
      await visit.page.locator("[name=password]").fill(keys.password);
      await visit.page.locator("main [type=submit]").click();
      await visit.page.locator("header nav").waitFor(LONG_TIMEOUT);
      return visit;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await installation[Symbol.asyncDispose]();
      await forge[Symbol.asyncDispose]();
    },
  };
}

export async function openVisit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("request", (request) => void requests.push(request.url()));
  page.on("pageerror", (error) => void complaints.push(error.message));
  page.on("console", (line) => {
    // The browser logs each error response and each cut connection.
    const isOfNetwork = /Failed to load resource|net::ERR/.test(line.text());
    if (line.type() === "error" && !isOfNetwork) complaints.push(line.text());
  });
  return { page, complaints, requests, [Symbol.asyncDispose]: () => context.close() };
}

/** A bare repository with these files on `main`. */
export async function plant(bare: string, files: Readonly<Record<string, string>>): Promise<void> {
  const tree = `${bare}.tree`;
  await mkdir(tree, { recursive: true });
  const git = (...args: string[]) =>
    promisify(execFile)("git", ["-C", tree, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  await git("init", "--quiet", "--template=", "--initial-branch=main");
  for (const [name, text] of Object.entries(files)) await writeFile(join(tree, name), text);
  await git("add", ".");
  await git("commit", "--quiet", "-m", "first");
  await mkdir(bare, { recursive: true });
  await promisify(execFile)("git", ["init", "--quiet", "--template=", "--bare", "--initial-branch=main", bare]);
  await git("push", "--quiet", bare, "main");
}

/** Red until `a - b` becomes `a + b`. */
export const SUM = {
  "sum.mjs": "export const sum = (a, b) => a - b;\n",
  "test.mjs": 'import { sum } from "./sum.mjs";\nif (sum(2, 3) !== 5) throw new Error("the sum is wrong");\n',
};

/** Settings under which a shell command does the work, without a model. */
export function commandSettings(command: string) {
  return {
    verify_cmd: "node test.mjs",
    isolation: { level_required: "worktree" },
    team: { preset: "solo", members: [{ role: "coder", cli: "command", command: ["/bin/sh", "-c", command] }] },
  };
}

/**
 * Adds a repository of that name with a wrong sum, where a shell command does the work. Returns its id. @param settings override the
 * defaults.
 */
export async function addRepo(
  { installation, api }: PanelFixture,
  name: string,
  { command, ...settings }: { readonly command: string; readonly [setting: string]: unknown },
): Promise<string> {
  const bare = join(installation.folder, `${name}.git`);
  await plant(bare, SUM);
  const { status, body } = await api("/api/repos", {
    method: "POST",
    body: { url: bare, ...commandSettings(command), ...settings },
  });
  if (status !== 201) throw new Error(`the repo was refused: ${JSON.stringify(body)}`);
  return String(body.id);
}

/** Returns the id of the run. */
export async function startRun({ api }: PanelFixture, repoId: string, body: unknown = {}): Promise<string> {
  const started = await api(`/api/repos/${repoId}/run`, { method: "POST", body });
  return String(started.body.id);
}

const START = fileURLToPath(new URL("../../start.mjs", import.meta.url));

/** A customer's worker: a process that can be suspended. */
export async function startWorker(fixture: PanelFixture, name: string, words: readonly string[] = []) {
  const { body } = await fixture.api("/api/account/license");
  const folder = join(fixture.installation.folder, name);
  const child = spawn(
    process.execPath,
    [START, "worker", "--allow-root", "--panel", fixture.panel.url, "--name", name, "--work-dir", folder, ...words],
    {
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, PANEL_TOKEN: body.license_key },
      stdio: "ignore",
    },
  );
  const ended = once(child, "exit");
  return {
    /** The process and its heartbeat thread. */
    stop: () => void execFileSync("kill", ["-STOP", String(child.pid)]),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
