import assert from "node:assert/strict";
import { test } from "node:test";
import { busItem } from "../support/bus.ts";
import { openEvents } from "../support/event-client.ts";
import { addressOf, FAILED, createBusFixture, upTo } from "../support/bus-fixture.ts";

test("streams past and live messages and the end, and answers 204 to a reader that has all", async () => {
  await using fixture = await createBusFixture();
  await fixture.say(1, 3);
  using first = await fixture.listen();
  using chosen = await fixture.listen("?kind=state&role=panel");
  assert.equal(first.status, 200);
  const { headers } = first.response;
  assert.deepEqual(
    [headers["vary"], headers["cache-control"], headers["x-accel-buffering"], headers["content-encoding"]],
    ["Accept", "no-store", "no", undefined],
  );
  await first.messages(5);
  await fixture.say(4, 6);
  await first.messages(8);
  await fixture.run.move("failed", FAILED);
  await Promise.all([first.closed(), chosen.closed()]);
  assert.deepEqual(first.seqs(), upTo(9));
  assert.deepEqual(chosen.seqs(), [1, 2, 9]);
  assert.equal(JSON.parse(first.events[4]?.data ?? "").text, "word 3");
  const end = first.events.at(-1);
  assert.deepEqual([end?.name, end?.id, JSON.parse(end?.data ?? "").state], ["end", null, "failed"]);
  assert.match(first.comments[0] ?? "", /^retry: 1000$/);

  using resumed = await fixture.listen("?after=1", { "last-event-id": "7" });
  await resumed.closed();
  assert.deepEqual([resumed.seqs(), resumed.events.at(-1)?.name], [[8, 9], "end"]);
  for (const id of ["9", "12"]) {
    using again = await fixture.listen("", { "last-event-id": id });
    assert.deepEqual([again.status, again.response.headers["vary"]], [204, "Accept"]);
  }
  using nothing = await fixture.listen("?kind=state&after=9");
  assert.equal(nothing.status, 204);
  using head = await openEvents(addressOf(fixture) + fixture.run.path, fixture.authorization, "HEAD");
  await head.closed();
  const { "content-type": type } = head.response.headers;
  assert.deepEqual([head.status, type, head.comments], [200, "text/event-stream; charset=utf-8", []]);
});

test("delivers every message once to a reader that reconnects repeatedly", async () => {
  await using fixture = await createBusFixture();
  const received: number[] = [];
  const speaking = (async () => {
    for (let at = 1; at <= 400; at += 4) await fixture.say(at, at + 3);
    await fixture.run.move("failed", FAILED);
  })();
  for (let cut = 1; received.at(-1) !== 403; cut++) {
    using reader = await fixture.listen("", { "last-event-id": String(received.at(-1) ?? 0) });
    await (cut <= 20 ? reader.messages(1 + ((cut * 7) % 23)) : reader.closed());
    reader.close();
    received.push(...reader.seqs());
  }
  await speaking;
  assert.deepEqual(received, upTo(403));
});

test("delivers the same messages to many readers, whenever they connect", async () => {
  await using fixture = await createBusFixture();
  const readers: Awaited<ReturnType<typeof fixture.listen>>[] = [];
  for (let at = 1; at <= 100; at += 5) {
    const [reader] = await Promise.all([fixture.listen(at % 2 === 0 ? "" : "?role=coder"), fixture.say(at, at + 4)]);
    readers.push(reader);
  }
  await fixture.run.move("failed", FAILED);
  for (const [index, reader] of readers.entries()) {
    await reader.closed();
    const all = upTo(103);
    assert.deepEqual(reader.seqs(), index % 2 === 1 ? all : all.slice(2, 102));
  }
  assert.equal(fixture.bus.streams.count, 0);
});

test("replaces pruned messages by one gap message at the start", async () => {
  await using fixture = await createBusFixture();
  await fixture.say(1, 3);
  fixture.advance(91 * 86_400_000);
  const { pruneBuses } = await import("../../src/bus/open-bus.ts");
  await fixture.say(4, 4);
  assert.equal(await pruneBuses(fixture.store, fixture.now()), 3);
  const { items } = (await fixture.read("?limit=1")).json();
  assert.deepEqual(
    [items.length, items[0].kind, items[0].seq, items[0].data],
    [1, "gap", 5, { from: 1, to: 5, reason: "pruned" }],
  );
  assert.equal((await fixture.read("?after=5")).json().items[0].seq, 6);
  using stream = await fixture.listen("?after=2&kind=message");
  await stream.messages(2);
  assert.deepEqual(stream.seqs(), [5, 6]);
  assert.deepEqual(JSON.parse(stream.events[0]?.data ?? "").data, { from: 3, to: 5, reason: "pruned" });
});

test("disconnects only the slow reader", async () => {
  await using fixture = await createBusFixture();
  using slow = await fixture.listen();
  using quick = await fixture.listen();
  await Promise.all([slow.messages(2), quick.messages(2)]);
  slow.pause();
  const text = "x".repeat(16_000);
  let wseq = 0;
  while (fixture.bus.streams.count === 2) {
    const items = Array.from({ length: 16 }, () => busItem(++wseq, { text }));
    await fixture.bus.ingest(fixture.run.owner, fixture.run.id, 1, items);
    await quick.messages(wseq + 2);
  }
  assert.equal(fixture.bus.streams.count, 1);
  assert.deepEqual(quick.seqs(), upTo(wseq + 2));
});

test("sends a keep-alive every 15 s, and ends within a minute after its credential was revoked", async () => {
  await using fixture = await createBusFixture();
  const made = await fixture.ask("POST", "/api/account/tokens", {
    token: fixture.run.token,
    body: { name: "x", scopes: ["read"] },
  });
  const { id, token } = made.json();
  using open = await fixture.listen();
  using withdrawn = await fixture.listen("", { authorization: `Bearer ${token}` });
  fixture.advance(15_000);
  fixture.bus.tick();
  await Promise.all([open.commented(2), withdrawn.commented(2)]);
  assert.equal(open.comments.at(-1), ":");
  await fixture.ask("DELETE", `/api/account/tokens/${id}`, { token: fixture.run.token });
  fixture.advance(60_000);
  fixture.bus.tick();
  await withdrawn.closed();
  assert.equal(withdrawn.events.at(-1)?.name, "message");
  fixture.advance(15_000);
  fixture.bus.tick();
  await open.commented(4);
  assert.equal(fixture.bus.streams.count, 1);
});

test("notifies only of changes to the reader's own account", async () => {
  await using fixture = await createBusFixture();
  const at = new URL("/api/changes", addressOf(fixture)).href;
  const refused = await fixture.ask("GET", "/api/changes", {
    token: fixture.run.token,
    headers: { accept: "application/json" },
  });
  assert.equal(refused.statusCode, 406);
  using mine = await openEvents(at, fixture.authorization);
  using others = await openEvents(at, { authorization: `Bearer ${fixture.free.access_token}`, accept: "*/*" });
  await fixture.run.move("accepted");
  await mine.messages(1);
  await fixture.ask("POST", "/api/repos", {
    token: fixture.free.access_token,
    body: { url: "https://git.example.org/b.git" },
  });
  await others.messages(1);
  const hints = mine.events.map(({ data }) => JSON.parse(data));
  assert.ok(
    hints.some(
      ({ type, id, revision }) => (type === "run" || type === "bus") && id === fixture.run.id && revision === 3,
    ),
  );
  assert.deepEqual(
    others.events.map(({ data }) => JSON.parse(data).type),
    ["repo"],
  );
  assert.ok(
    mine.events.every(({ id, name, data }) => id === null && name === "message" && JSON.parse(data).type !== "repo"),
  );
  fixture.bus.changes.wake(null);
  await Promise.all([mine.closed(), others.closed()]);
});
