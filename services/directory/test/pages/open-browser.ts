/** A real Chromium and a real directory on its sample, for the tests of the pages; both go when they are disposed of. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { start } from "../../src/service.ts";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executable = PLACES.find((place) => existsSync(place));

/** What a test without a browser says. In CI it is not skipped: the missing browser makes it fail. */
export const withoutBrowser =
  executable === undefined && process.env["CI"] === undefined
    ? "no Chromium on this machine (apt install chromium): the pages were not looked at"
    : false;

/** As root and without a network of its own (design/toolchain.md, trap 15). */
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
const QUIET = ["--disable-component-update", "--disable-sync"];

export function openBrowser(): Promise<Browser> {
  if (executable === undefined) throw new Error(`no Chromium found at ${PLACES.join(", ")}`);
  return chromium.launch({ executablePath: executable, args: [...FLAGS, ...QUIET] });
}

const Credentials = Type.Object({ directory: Type.Object({ pro_key: Type.String(), discovery_key: Type.String() }) });

/** The service as a first start leaves it: the sample, two trial keys, any free port. */
export async function openService() {
  const folder = await mkdtemp(join(tmpdir(), "triptych-pages-"));
  const service = await start({ TRIPTYCH_DATA: folder, DIRECTORY_PORT: "0", LOG_LEVEL: "silent", NODE_ENV: "test" });
  const written: unknown = JSON.parse(await readFile(join(folder, "credentials.json"), "utf8"));
  const { pro_key: pro, discovery_key: discovery } = Value.Parse(Credentials, written).directory;
  return {
    url: service.url,
    pro,
    discovery,
    async ask(path: string, key = pro) {
      return fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${key}` } });
    },
    async [Symbol.asyncDispose]() {
      await service.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** A page that remembers where it asked and what it complained about. */
export async function openPage(browser: Browser, address: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ locale: "fr-FR", viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => void requests.push(request.url()));
  page.on("pageerror", (error) => void complaints.push(error.message));
  page.on("console", (line) => void (line.type() === "error" && complaints.push(line.text())));
  await page.goto(address);
  return { page, context, requests, complaints, [Symbol.asyncDispose]: () => context.close() };
}

/** Waits until the list says so many results. */
export async function untilTotal(page: Page, total: string): Promise<void> {
  await page.locator("#total", { hasText: new RegExp(`^${total}$`) }).waitFor();
  await page.locator('#results[aria-busy="false"]').waitFor();
}
