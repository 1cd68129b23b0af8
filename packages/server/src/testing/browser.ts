/** A real Chromium for the tests of pages: what a page asks, what it complains about, what axe finds wrong with it. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** `CHROMIUM` names another program than Debian's. */
const executable = process.env["CHROMIUM"] ?? PLACES.find((place) => existsSync(place));

/** As root and without a network of its own (design/toolchain.md, trap 15). */
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
const QUIET = ["--disable-component-update", "--disable-sync"];

/**
 * Why tests of pages are skipped; false where a browser starts, and in CI, where each of them fails instead. Found by starting one: a
 * browser that is installed and does not start would otherwise fail a hook, and with it every test of the process.
 */
export const withoutBrowser = process.env["CI"] === undefined ? await reasonWithoutBrowser() : false;

async function reasonWithoutBrowser(): Promise<string | false> {
  try {
    const browser = await openBrowser();
    await browser.close();
    return false;
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : String(error)).split("\n");
    return `no Chromium starts here (apt install chromium, or set CHROMIUM), pages are not tested: ${line ?? ""}`;
  }
}

export async function openBrowser(): Promise<Browser> {
  if (executable === undefined) throw new Error(`no Chromium found at ${PLACES.join(", ")}`);
  return chromium.launch({ executablePath: executable, args: [...FLAGS, ...QUIET] });
}

/** A page that remembers what it asked and what it complained about. */
export async function openPage(browser: Browser, address: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const requests: { readonly url: string; readonly body: string }[] = [];
  const complaints: string[] = [];
  page.on("request", (request) => void requests.push({ url: request.url(), body: request.postData() ?? "" }));
  page.on("pageerror", (error) => void complaints.push(error.message));
  page.on("console", (line) => void (line.type() === "error" && complaints.push(line.text())));
  await page.goto(address);
  return { page, context, requests, complaints, [Symbol.asyncDispose]: () => context.close() };
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong, a line each. Run by the debugger, so the page's own policy stays as strict as it is. */
export async function violations(page: Page, rules: readonly string[] = []): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(async (rules) => {
    // @ts-expect-error axe is a global of the page, put there by the line before.
    const { violations } = await globalThis.axe.run(globalThis.document, rules.length > 0 ? { runOnly: rules } : {});
    return violations.flatMap((one: { id: string; nodes: { html: string }[] }) =>
      one.nodes.map((node) => `${one.id}: ${node.html}`),
    );
  }, rules);
}
