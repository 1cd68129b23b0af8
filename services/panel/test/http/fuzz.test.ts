import assert from "node:assert/strict";
import { test } from "node:test";
import { getStatementKeys, LICENSE_PATH, panelContract, problems } from "@triptych/contracts";
import { randomRequest, seeded } from "@triptych/server/testing/requests";
import { createFixture } from "../support/create-fixture.ts";

/** The long form sends 20,000 requests. */
const COUNT = process.env["TEST_LONG"] === undefined ? 1200 : 20_000;
const NO_IDS = ["rep", "run", "cnd", "wrk", "mem", "tok"].map((prefix) => `${prefix}_${"0".repeat(26)}`);
/** Streams never end; the bus tests cover them. */
const endpoints = panelContract.endpoints.filter(({ id }) => id !== "watchChanges");

type Fixture = Awaited<ReturnType<typeof createFixture>>;

/** A repo with a run, a memory and a second token. */
async function lived({ ask, pro }: Fixture, life: number) {
  const token = pro.access_token;
  const idOf = async (url: string, body: unknown): Promise<string> =>
    (await ask("POST", url, { token, body })).json().id;
  const repo = await idOf("/api/repos", { url: `https://git.example.org/acme/sum-${life}.git` });
  return {
    id: [repo, await idOf(`/api/repos/${repo}/run`, {}), repo],
    mid: [await idOf(`/api/repos/${repo}/memories`, { text: "Tests run with node --test." })],
    url: [`https://git.example.org/acme/other-${life}.git`, "git@git.example.org:acme/scp.git"],
    cli: ["codex", "command"],
    repo_id: [repo],
    cron: ["@daily", "*/5 * * * *"],
    email: [pro.email],
  };
}

test("answers no generated request with 5xx unless a dependency is missing, and every error with a problem", async () => {
  await using fixture = await createFixture();
  let lives = 0;
  let values = await lived(fixture, lives);
  const random = seeded(20_261_122);
  const seen = new Map<number, number>();
  for (let count = 0; count < COUNT; count++) {
    const { method, url, payload, headers } = randomRequest(random, { endpoints, samples: values, noIds: NO_IDS });
    const answer = await fixture.ask(method, url, {
      ...(random.chance(0.95) && { token: fixture.pro.access_token }),
      headers,
      ...(payload !== undefined && { body: payload }),
    });
    const about = `${method} ${url} ${payload} ${JSON.stringify(headers)} -> ${answer.statusCode} ${answer.body.slice(0, 300)}`;
    seen.set(answer.statusCode, (seen.get(answer.statusCode) ?? 0) + 1);
    // No worker and no forge exist: only these two errors may be 5xx.
    assert.ok(answer.statusCode < 500 || ["no_worker_connected", "forge_error"].includes(answer.json().code), about);
    assert.ok(answer.headers["x-request-id"], about);
    const isKeySet = url.startsWith(getStatementKeys.path) && answer.statusCode === 200;
    assert.equal(answer.headers["cache-control"], isKeySet ? "public, max-age=3600" : "no-store", about);
    if (answer.statusCode === 204 && method === "DELETE") values = await lived(fixture, ++lives);
    if (answer.statusCode < 400) continue;
    const body = answer.json();
    assert.ok(Object.hasOwn(problems, body.code), about);
    assert.equal(body.status, answer.statusCode, about);
    if (body.code === "validation_failed")
      assert.ok(body.errors.length > 0 && body.errors.every((issue: { message: string }) => issue.message), about);
    if (url.startsWith(LICENSE_PATH))
      assert.deepEqual([answer.headers["pragma"], answer.headers["expires"]], ["no-cache", "0"]);
  }
  for (const status of [200, 201, 202, 400, 401, 404, 405])
    assert.ok(seen.has(status), `no ${status} among ${JSON.stringify([...seen])}`);
  assert.ok(!fixture.lines.some((line) => line.includes('"level":"error"')), "nothing was logged as a fault");
});
