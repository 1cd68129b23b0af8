import assert from "node:assert/strict";
import { test } from "node:test";
import { busItem } from "../support/bus.ts";
import { FAILED, createBusFixture, upTo, busItems } from "../support/bus-fixture.ts";

test("returns messages after a number, filtered by kind and role, up to the limit", async () => {
  await using fixture = await createBusFixture();
  await fixture.bus.ingest(fixture.run.owner, fixture.run.id, 1, [
    ...busItems(1, 2),
    busItem(3, { kind: "verify", from: { role: "worker", agent: null, cli: null, model: null } }),
    busItem(4, { kind: "log" }),
  ]);
  const all = await fixture.read();
  assert.deepEqual([all.statusCode, all.headers["vary"], all.headers["cache-control"]], [200, "Accept", "no-store"]);
  const { items, ...rest } = all.json();
  assert.deepEqual(rest, { run_id: fixture.run.id, state: "leased", last_seq: 6, complete: false });
  assert.deepEqual(items[2], {
    seq: 3,
    run_id: fixture.run.id,
    epoch: 1,
    to: "all",
    reply_to: null,
    kind: "message",
    from: { role: "coder", agent: null, cli: "scripted", model: null },
    at: "1970-01-01T00:00:00.006Z",
    text: "word 1",
    data: {},
    round: 1,
  });
  const seqs = async (query: string) => (await fixture.read(query)).json().items.map(({ seq }: { seq: number }) => seq);
  assert.deepEqual(await seqs("?after=2&limit=2"), [3, 4]);
  assert.deepEqual(await seqs("?kind=verify,log"), [5, 6]);
  assert.deepEqual(await seqs("?kind=message,verify&role=worker"), [5]);
  assert.deepEqual(await seqs("?kind=diff"), []);
  const head = await fixture.ask("HEAD", fixture.run.path, { token: fixture.run.token });
  assert.deepEqual([head.statusCode, head.body], [200, ""]);
});

test("negotiates the media type by quality, and lists every validation error", async () => {
  await using fixture = await createBusFixture();
  const accept = async (accept: string, query = "") => fixture.read(query, { accept });
  for (const json of ["*/*", "application/json", "text/event-stream;q=0.5, application/json", "application/*"])
    assert.match(String((await accept(json)).headers["content-type"]), /^application\/json/, json);
  for (const stream of ["text/event-stream", "application/json;q=0.2, text/event-stream;q=0.3", "text/*"]) {
    using opened = await fixture.listen("", { accept: stream });
    assert.equal(opened.response.headers["content-type"], "text/event-stream; charset=utf-8", stream);
  }
  const none = await accept("text/html");
  assert.deepEqual([none.statusCode, none.json().code, none.headers["vary"]], [406, "not_acceptable", "Accept"]);
  const issues = async (query: string, headers = {}) => {
    const refused = await fixture.read(query, headers);
    assert.equal(refused.statusCode, 400, query);
    return refused
      .json()
      .errors.map(({ path }: { path: string }) => path)
      .toSorted();
  };
  assert.deepEqual(await issues("?after=x&limit=0&kind=talk&wait=26&role=boss&un=1"), [
    "?after",
    "?kind",
    "?limit",
    "?role",
    "?un",
    "?wait",
  ]);
  const sse = { accept: "text/event-stream", "last-event-id": "x1" };
  assert.deepEqual(await issues("?limit=9&wait=1&after=-1", sse), [
    "?after",
    "?limit",
    "?wait",
    "header:Last-Event-ID",
  ]);
  const stranger = await fixture.ask("GET", fixture.run.path, { token: fixture.free.access_token });
  assert.equal(stranger.statusCode, 404);
});

test("waits for a message with long polling, and returns an empty page after the timeout", async () => {
  await using fixture = await createBusFixture();
  const waiting = fixture.read("?after=2&wait=25&kind=verify");
  await fixture.say(1, 3);
  await fixture.bus.ingest(fixture.run.owner, fixture.run.id, 1, [busItem(4, { kind: "verify" })]);
  const answer = (await waiting).json();
  assert.deepEqual([answer.items.map(({ seq }: { seq: number }) => seq), answer.last_seq], [[6], 6]);
  assert.deepEqual((await fixture.read("?after=6&wait=0.02")).json().items, []);
  const last = fixture.read("?after=7&wait=25");
  await fixture.run.move("failed", FAILED);
  assert.deepEqual((await last).json(), {
    run_id: fixture.run.id,
    state: "failed",
    items: [],
    last_seq: 7,
    complete: true,
  });
});

test("completes a run that ends in pushed because no pull request is wanted", async () => {
  await using fixture = await createBusFixture();
  for (const event of ["accepted", "ready", "agent_ended", "passed"] as const) await fixture.run.move(event);
  using stream = await fixture.listen();
  await stream.messages(6);
  assert.equal((await fixture.read()).json().complete, false);
  await fixture.run.move("push_confirmed");
  await stream.closed();
  assert.deepEqual([stream.seqs(), stream.events.at(-1)?.name], [upTo(7), "end"]);
});

test("labels bus metrics without ids", async () => {
  await using fixture = await createBusFixture();
  await fixture.say(1, 3);
  using _reader = await fixture.listen();
  const { body } = await fixture.ask("GET", "/metrics");
  assert.match(body, /^panel_bus_events_total\{service="panel"\} 3$/m);
  assert.match(body, /^panel_sse_readers\{service="panel"\} 1$/m);
  assert.match(body, /^panel_redactions_total\{service="panel"\} 0$/m);
  for (const id of [fixture.run.id, fixture.run.owner]) assert.ok(!body.includes(id));
});
