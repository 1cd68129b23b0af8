/** A real Chromium for page tests: records requests and console errors, and runs axe. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";

const CHROMIUM_PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** `CHROMIUM` overrides the path of Debian's package. */
const executable = process.env["CHROMIUM"] ?? CHROMIUM_PATHS.find((path) => existsSync(path));

/** For root, without network access, and with software WebGL instead of a graphics card. */
const FLAGS = [
  "--no-sandbox",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
];
const QUIET = ["--disable-component-update", "--disable-sync"];

/**
 * Why page tests are skipped; false if a browser starts, and always in CI, where they fail instead. Starts a browser to
 * find out: if an installed browser is broken, a hook would fail, and with it every test of the process.
 */
export const withoutBrowser = process.env["CI"] === undefined ? await reasonWithoutBrowser() : false;

async function reasonWithoutBrowser(): Promise<string | false> {
  try {
    const browser = await openBrowser();
    await browser.close();
    return false;
  } catch (error) {
    const [line] = (error instanceof Error ? error.message : String(error)).split("\n");
    return `Chromium does not start (apt install chromium, or set CHROMIUM); pages are not tested: ${line ?? ""}`;
  }
}

/** @param flags in addition to those of every page test. */
export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  if (executable === undefined) throw new Error(`no Chromium found at ${CHROMIUM_PATHS.join(", ")}`);
  return chromium.launch({ executablePath: executable, args: [...FLAGS, ...QUIET, ...flags] });
}

const TIMEOUT_MS = 120_000;

export async function openPage(browser: Browser, address: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 900 }, ...options });
  // On two cores, several groups of tests may run next to the browser.
  context.setDefaultTimeout(TIMEOUT_MS);
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

/** axe violations, one line each. axe is injected through the debugger, so that the page's policy stays strict. */
export async function violations(page: Page, rules: readonly string[] = []): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(async (rules) => {
    // @ts-expect-error axe is a global of the page, put there by the line before.
    const { violations } = await globalThis.axe.run(globalThis.document, rules.length > 0 ? { runOnly: rules } : {});
    return violations.flatMap((violation: { id: string; nodes: { html: string }[] }) =>
      violation.nodes.map((node) => `${violation.id}: ${node.html}`),
    );
  }, rules);
}
