import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { directoryContract, gatewayContract, panelContract, railContract } from "@triptych/contracts";
import { createLogger, createServer } from "@triptych/server";
import { builtWebSite, SITES } from "../build/sites.ts";
import { viewedDocument, type OpenApi } from "../reference/src/document.ts";

const ORIGIN = "http://127.0.0.1:7000";
const OPTIONS = {
  logger: createLogger({ service: "test", level: "silent" }),
  identify: () => Promise.resolve(null),
  readiness: () => Promise.resolve(null),
};

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
  const server = await createServer<null>({
    ...OPTIONS,
    contract: directoryContract,
    viewerFolder: builtWebSite("reference"),
  });
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
  const bare = await createServer<null>({ ...OPTIONS, contract: directoryContract });
  const missing = await bare.fastify.inject({ url: "/docs/try" });
  assert.equal(missing.statusCode, 503);
  assert.match(missing.body, /does not include the request viewer.*<a href="\/docs">/);
  await bare.stop();
});

for (const contract of [directoryContract, gatewayContract, panelContract, railContract])
  test(`the viewer of the ${contract.name} has every linked operation, and sends credentials in headers only`, async () => {
    const server = await createServer<null>({ ...OPTIONS, contract });
    const { body: page } = await server.fastify.inject({ url: "/docs" });
    const { body: text } = await server.fastify.inject({ url: "/openapi.json" });
    await server.stop();
    const before = JSON.parse(text) as OpenApi;
    const { components, paths, servers } = viewedDocument(before, ORIGIN);
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );
    const links = [...page.matchAll(/href="\/docs\/try#\/([^"]+)"/g)].map(([, link = ""]) => decodeURIComponent(link));
    const names = operations.map(({ tags = ["default"], operationId }) => `${tags[0]}/${operationId}`);
    assert.deepEqual(links.toSorted(), names.toSorted());
    // A WebSocket and a stream of events without an end.
    const untried = contract.endpoints
      .map(({ id }) => id)
      .filter((id) => !names.some((name) => name.endsWith(`/${id}`)));
    assert.deepEqual(untried, contract === panelContract ? ["watchChanges", "connectWorker"] : []);

    assert.deepEqual(servers, [{ url: ORIGIN }]);
    const { securitySchemes = {} } = components;
    assert.ok(Object.keys(securitySchemes).length > 0);
    const schemes = Object.values(securitySchemes).map((scheme) => JSON.stringify(scheme));
    assert.equal(new Set(schemes).size, schemes.length, "a credential is asked for twice");
    for (const { in: place = "header" } of Object.values(securitySchemes)) assert.equal(place, "header");
    for (const { path, method, parameters = [], security = [] } of operations) {
      const operation = `${method} ${path}`;
      for (const name of security.flatMap((alternative) => Object.keys(alternative)))
        assert.ok(name in securitySchemes, `${operation}: ${name}`);
      const isOpen = (before.paths[path]?.[method]?.security ?? []).length === 0;
      assert.equal(security.length === 0, isOpen, operation);
      assert.ok(!parameters.some(({ in: place, name }) => place === "query" && name === "key"), operation);
    }
  });
