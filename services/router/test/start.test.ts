import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { start } from "../src/service.ts";

test("a router starts without a data folder or training data, and can be stopped repeatedly", async () => {
  const folder = await mkdtemp(join(tmpdir(), "triptych-start-"));
  await using _removed = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
  const data = join(folder, "not", "there");
  const router = await start({
    TRIPTYCH_DATA: data,
    TRIPTYCH_ROUTING_DATA: join(folder, "nowhere"),
    ROUTER_PORT: "0",
    LOG_LEVEL: "silent",
  });
  const options = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"state":"What is 2 + 2?"}',
  };
  const decided: unknown = await (await fetch(`${router.url}/v1/route`, options)).json();
  assert.ok(typeof decided === "object" && decided !== null && "route" in decided);
  assert.equal(decided.route, "calculator");
  for (const path of ["/health", "/readyz", "/v1/heads"]) assert.equal((await fetch(router.url + path)).status, 200);

  assert.equal((await stat(data)).mode & 0o777, 0o700);
  const credentials = await readFile(join(data, "credentials.json"), "utf8");
  assert.ok(credentials.includes(router.url));
  await Promise.all([router.stop(), router.stop()]);
  await router.stop();
  await assert.rejects(fetch(`${router.url}/livez`));
});
