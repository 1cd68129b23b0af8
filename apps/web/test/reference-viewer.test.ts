import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { directoryContract } from "@triptych/contracts";
import { createLogger, createServer } from "@triptych/server";
import { builtWebSite, SITES } from "../build/sites.ts";
import { viewedDocument, type OpenApi } from "../reference/src/document.ts";

const ORIGIN = "http://127.0.0.1:7000";

test("builds within its budget, without inline or external resources", async () => {
  const folder = await builtWebSite("reference");
  assert.doesNotMatch(
    await readFile(join(folder, "index.html"), "utf8"),
    /<script>|<style|style="|(href|src)="https?:|\son\w+=/,
  );
  const names = await readdir(join(folder, "assets"));
  const compressed = names.filter((name) => name.endsWith(".gz"));
  assert.equal(names.length, compressed.length * 3);
  const sizes = await Promise.all(
    compressed.map(async (name) => (await readFile(join(folder, "assets", name))).length),
  );
  const kib = sizes.reduce((sum, size) => sum + size, 0) / 1024;
  assert.ok(kib > 100 && kib <= SITES.reference.budgetKib, `${kib} KiB`);
});

test("serves the viewer compressed, with an ETag and the policy of every page; without it, answers 503", async () => {
  const options = {
    contract: directoryContract,
    logger: createLogger({ service: "directory", level: "silent" }),
    identify: () => Promise.resolve(null),
    readiness: () => Promise.resolve(null),
  };
  const server = await createServer<null>({ ...options, viewerFolder: builtWebSite("reference") });
  const get = (url: string, headers = {}) => server.fastify.inject({ url, headers });
  const page = await get("/docs/try");
  assert.equal(page.statusCode, 200);
  assert.equal(page.headers["content-security-policy"], (await get("/docs")).headers["content-security-policy"]);
  assert.match(String(page.headers["content-security-policy"]), /default-src 'none'.*trusted-types 'none'/);
  assert.equal((await get("/docs/try", { "if-none-match": page.headers.etag })).statusCode, 304);
  const [, script = ""] = /src="(\/docs\/try\/assets\/[^"]+\.js)"/.exec(page.body) ?? [];
  for (const coding of ["br", "gzip"]) {
    const asset = await get(script, { "accept-encoding": coding });
    assert.equal(asset.headers["content-encoding"], coding);
    assert.match(String(asset.headers["cache-control"]), /immutable/);
    assert.ok(asset.rawPayload.length < SITES.reference.budgetKib * 1024);
  }
  await server.stop();
  const bare = await createServer<null>(options);
  const missing = await bare.fastify.inject({ url: "/docs/try" });
  assert.equal(missing.statusCode, 503);
  assert.match(missing.body, /does not include the viewer of requests.*<a href="\/docs">/);
  await bare.stop();
});

for (const service of ["directory", "gateway", "panel", "rail", "router"])
  test(`the viewer of the ${service} sends credentials in headers only, and asks for each of them once`, () => {
    const text = readFileSync(join(import.meta.dirname, `../../../openapi/${service}.json`), "utf8");
    const before = JSON.parse(text) as OpenApi;
    const { components, paths, servers } = viewedDocument(before, ORIGIN);
    assert.deepEqual(servers, [{ url: ORIGIN }]);
    const { securitySchemes = {} } = components;
    assert.ok(Object.keys(securitySchemes).length > 0);
    const texts = Object.values(securitySchemes).map((scheme) => JSON.stringify(scheme));
    assert.equal(new Set(texts).size, texts.length);
    for (const { in: place = "header" } of Object.values(securitySchemes)) assert.equal(place, "header");
    for (const [path, operations] of Object.entries(paths))
      for (const [method, { parameters = [], security = [] }] of Object.entries(operations)) {
        const operation = `${method} ${path}`;
        for (const name of security.flatMap((alternative) => Object.keys(alternative)))
          assert.ok(name in securitySchemes, `${operation}: ${name}`);
        // Security that cannot be met would hide that the operation needs a credential.
        const isOpen = (before.paths[path]?.[method]?.security ?? []).length === 0;
        assert.equal(security.length === 0, isOpen, operation);
        assert.ok(!parameters.some(({ in: place, name }) => place === "query" && name === "key"), operation);
      }
  });
