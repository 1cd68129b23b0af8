import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadBuiltPage } from "@triptych/server";
import { createFixture } from "../support/create-fixture.ts";

async function fetchPage(
  fixture: Awaited<ReturnType<typeof createFixture>>,
  url: string,
  method: "GET" | "HEAD" | "POST" = "GET",
) {
  const { statusCode, headers, payload } = await fixture.ask(method, url);
  const header = (name: string) => (headers[name] === undefined ? null : String(headers[name]));
  return { status: statusCode, header, text: payload };
}

async function openBuilt() {
  const folder = await mkdtemp(join(tmpdir(), "dashboard-"));
  await mkdir(join(folder, "assets"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>shell</title>");
  await writeFile(join(folder, "assets", "main-1a2b.js"), "export {};");
  await writeFile(join(folder, "assets", "notes.txt"), "not for browsers");
  try {
    return await createFixture({ dashboard: await loadBuiltPage(folder) });
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("serves the page under every other URL, revalidated and with a strict policy", async () => {
  await using fixture = await openBuilt();
  for (const path of ["/", "/login", "/runs/run_1", "/repos/new?x=1", "/apis"]) {
    const { status, header, text } = await fetchPage(fixture, path);
    assert.equal(status, 200, path);
    assert.match(text, /shell/);
    assert.equal(header("cache-control"), "no-cache");
    const policy = header("content-security-policy") ?? "";
    assert.match(policy, /default-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|data:|\*/);
  }
});

test("answers 404 to missing files and well-known URLs", async () => {
  await using fixture = await openBuilt();
  const paths = ["/.well-known/security.txt", "/.well-known/x", "/mcp", "/mcp/x", "/robots.txt", "/favicon.ico"];
  for (const path of [...paths, "/wp-login.php", "/repos/app.js.map", "/index.html?x=1"]) {
    const { status, header } = await fetchPage(fixture, path);
    assert.equal(status, 404, path);
    assert.match(header("content-type") ?? "", /^application\/problem\+json/, path);
  }
});

test("caches assets forever, and answers 404 to unknown ones", async () => {
  await using fixture = await openBuilt();
  const { status, header } = await fetchPage(fixture, "/assets/main-1a2b.js");
  assert.equal(status, 200);
  assert.equal(header("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(header("expires"), null);
  assert.match(header("content-type") ?? "", /^text\/javascript/);
  for (const path of ["/assets/main-0000.js", "/assets/notes.txt", "/assets/..%2findex.html", "/assets"])
    assert.equal((await fetchPage(fixture, path)).status, 404, path);
});

test("answers unknown API URLs with a problem, and serves no page to other methods", async () => {
  await using fixture = await openBuilt();
  for (const path of ["/api", "/api/nothing", "/docs/nothing", "/problems/nothing"]) {
    const { status, header } = await fetchPage(fixture, path);
    assert.equal(status, 404, path);
    assert.match(header("content-type") ?? "", /^application\/problem\+json/);
  }
  assert.equal((await fetchPage(fixture, "/api/auth/login")).status, 405);
  assert.equal((await fetchPage(fixture, "/repos/new", "POST")).status, 404);
  const head = await fetchPage(fixture, "/repos/new", "HEAD");
  assert.deepEqual([head.status, head.text], [200, ""]);
});

test("reports a missing dashboard build, while the API works", async () => {
  await using fixture = await createFixture();
  const { status, text } = await fetchPage(fixture, "/login");
  assert.equal(status, 200);
  assert.match(text, /does not include the dashboard/);
  assert.equal((await fetchPage(fixture, "/api/account")).status, 401);
});
