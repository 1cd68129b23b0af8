/**
 * Prism as a validating proxy in front of each service: `npm run e2e:prism`. With `--errors`, a request or response that
 * its OpenAPI document does not allow becomes an error response, and the story that sent it fails.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../processes.ts";
import type { Exchange } from "./calls.ts";
import { runStories } from "./run-stories.ts";

const PRISM = createRequire(import.meta.url).resolve("@stoplight/prism-cli/dist/index.js");

interface Content {
  content?: Record<string, unknown>;
}

/**
 * Prism compares only the part after the plus, so it takes GeoJSON for the plain JSON of the same response. Each
 * structured type therefore has its own document.
 */
async function writeDocument(folder: string, service: string, suffixed?: string): Promise<string> {
  const document = JSON.parse(await readFile(new URL(`../../openapi/${service}.json`, import.meta.url), "utf8"));
  for (const { get } of Object.values<{ get?: { responses: Record<string, Content> } }>(document.paths))
    for (const response of Object.values(get?.responses ?? {})) {
      const all = Object.entries(response.content ?? {});
      const chosen = all.filter(([media]) => (suffixed === undefined ? !media.includes("+") : media === suffixed));
      if (chosen.length > 0) response.content = Object.fromEntries(chosen);
    }
  const path = join(folder, `${service}${suffixed?.replaceAll(/\W/g, "-") ?? ""}.json`);
  await writeFile(path, JSON.stringify(document));
  return path;
}

async function startPrism(document: string, upstream: string): Promise<AsyncDisposable & { readonly url: string }> {
  const port = String(await freePort());
  const args = ["proxy", document, upstream, "--errors", "--host", "127.0.0.1", "--port", port];
  const child = spawn(process.execPath, [PRISM, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = once(child, "exit");
  let output = "";
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        if (output.includes("is listening")) resolve();
      });
    void ended.then(() => reject(new Error(`Prism ended: ${output}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

test("requests and responses of every service match its OpenAPI document", { timeout: 600_000 }, async (context) => {
  await using proxies = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "triptych-prism-"));
  proxies.defer(() => rm(folder, { recursive: true }));
  const exchanges: Exchange[] = [];
  await runStories({
    observe: (exchange) => void exchanges.push(exchange),
    async through({ name }, url) {
      const running = new Map<string | undefined, string>();
      return {
        async urlFor(suffixed) {
          const known = running.get(suffixed);
          if (known !== undefined) return known;
          const proxy = proxies.use(await startPrism(await writeDocument(folder, name, suffixed), url));
          running.set(suffixed, proxy.url);
          return proxy.url;
        },
      };
    },
  });
  const violations = exchanges.flatMap(({ service, operation, headers }) => {
    const violation = headers.get("sl-violations");
    return violation === null ? [] : [`${service} ${operation}: ${violation}`];
  });
  assert.deepEqual(violations, []);
  for (const service of ["directory", "gateway", "panel", "rail", "router"]) {
    const calls = exchanges.filter((exchange) => exchange.service === service && exchange.isProxied);
    const operations = new Set(calls.map(({ operation }) => operation));
    context.diagnostic(`${service}: ${calls.length} calls of ${operations.size} operations`);
    assert.ok(operations.size > 0, service);
  }
});
