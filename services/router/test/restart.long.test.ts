/** After a kill, a router still has everything that it acknowledged. */
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LEASE_MS } from "../src/domain/heads/trainings.ts";
import { trainingRequest } from "./support/training-requests.ts";
import { openStorage } from "./support/stored-in.ts";
import { createFixture } from "./support/create-fixture.ts";

const decision = { state: "please reset my password", expert: "acme", explain: true };

test("after kill -9 a live head decides as before, feedback is stored, and an interrupted training is failed without network access", async () => {
  await using folder = await openFolder();
  const before = await killed(folder.path);
  // One thread trained while another one started: the socket guard in each of them recorded no attempt.
  assert.deepEqual(new Set(before.sockets), new Set(["main loaded", "thread loaded"]));

  const storage = await openStorage(folder.path);
  await using _closed = storage.database;
  let clock = Date.now();
  await using fixture = await createFixture({ storage, now: () => clock });
  const again = (await fixture.ask("/v1/route", { body: decision })).json();
  assert.deepEqual({ ...again, id: "", latency_ms: 0 }, { ...before.decided, id: "", latency_ms: 0 });
  const more = { expert: "acme", state: "hello there", route: "chat" };
  const { feedback } = (await fixture.ask("/v1/feedback", { body: more })).json();
  assert.equal(feedback.n, 3);

  const cut = async () => (await fixture.ask(`/v1/heads/${before.cutId}`)).json();
  assert.equal((await cut()).state, "training");
  clock += LEASE_MS;
  await fixture.owned.heads.watch();
  assert.deepEqual([(await cut()).state, (await cut()).reason], ["failed", "interrupted"]);
  const refused = await fixture.ask("/v1/route", { body: { ...decision, expert: "cut" } });
  assert.deepEqual([refused.statusCode, refused.json().code, refused.json().state], [409, "head_not_ready", "failed"]);
  assert.equal((await fixture.ask(`/v1/heads/${before.cutId}`, { method: "DELETE" })).statusCode, 204);
  assert.equal((await fixture.ask("/v1/heads", { body: trainingRequest({ name: "cut" }) })).json().state, "live");
});

test("a router that stops marks its running trainings as failed", async () => {
  await using folder = await openFolder();
  const storage = await openStorage(folder.path);
  await using _closed = storage.database;
  const begin = async () => {
    await using fixture = await createFixture({ storage });
    return (await fixture.ask("/v1/heads", { body: longRequest(), headers: { prefer: "wait=0" } })).json();
  };
  const { id, state } = await begin();
  assert.equal(state, "training");
  await using fixture = await createFixture({ storage });
  const head = (await fixture.ask(`/v1/heads/${id}`)).json();
  assert.deepEqual([head.state, head.reason], ["failed", "internal"]);
});

/** A router with a head, feedback and a running training, killed during that training. */
async function killed(folder: string) {
  const { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS } = process.env;
  const seen = join(folder, "sockets-seen");
  const child = fork(new URL("./support/router-process.ts", import.meta.url), [folder], {
    execArgv: ["--import", import.meta.resolve("./support/refuse-sockets.ts")],
    env: { PATH, NODE_COMPILE_CACHE, NODE_OPTIONS, SOCKETS_SEEN: seen },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const ended = once(child, "exit");
  try {
    const [url]: unknown[] = await Promise.race([once(child, "message"), ended]);
    if (typeof url !== "string") throw new Error(`the router ended before it listened: ${String(url)}`);
    const post = async (path: string, body: object, headers = {}) => {
      const answer = await fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      // Every response of the router is a JSON object.
      return { status: answer.status, body: (await answer.json()) as Readonly<Record<string, unknown>> };
    };
    const made = await post("/v1/heads", trainingRequest());
    assert.deepEqual([made.status, made.body["state"]], [201, "live"]);
    const decided = (await post("/v1/route", decision)).body;
    const items = [{ state: "is it raining", route: "weather" }].flatMap((item) => [item, { ...item, route: null }]);
    assert.equal((await post("/v1/feedback", { expert: "acme", items })).status, 202);
    const { body: cut, status } = await post("/v1/heads", longRequest(), { prefer: "wait=0" });
    assert.deepEqual([status, cut["state"]], [202, "training"]);
    const sockets = (await readFile(seen, "utf8")).trim().split("\n");
    return { decided, sockets, cutId: String(cut["id"]) };
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

/** Takes seconds to train. */
function longRequest() {
  const greeting = Array.from({ length: 150 }, (_, index) => `number ${index}`);
  return trainingRequest({ name: "cut", slots: { greeting } });
}

async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), "triptych-restart-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
