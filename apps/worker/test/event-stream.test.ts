import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import type { WireItem } from "../src/session/event-queue.ts";
import { createEventStream, type EventStream } from "../src/session/event-stream.ts";

type Sent = WireItem & { readonly wseq: number };

const item = (kind: WireItem["kind"], text: string): WireItem => ({
  at: "2026-01-02T03:04:05.678Z",
  from: { role: "coder", agent: "tool", cli: "tool", model: null },
  kind,
  text,
  data: {},
  round: 1,
});

interface Stage extends Disposable {
  readonly sent: Sent[];
  /** Number of lines per frame. */
  readonly frames: number[];
  readonly path: string;
  open(): EventStream;
}

function openStage(bounds = { items: 4, bytes: 10_000, spoolBytes: 4_000, gatheredMs: 0 }): Stage {
  const folder = mkdtempSync(join(tmpdir(), "stream-"));
  const path = join(folder, "events.jsonl");
  const sent: Sent[] = [];
  const frames: number[] = [];
  return {
    sent,
    frames,
    path,
    open: () =>
      createEventStream({
        path,
        send(items) {
          const lines: readonly Sent[] = JSON.parse(items);
          frames.push(lines.length);
          sent.push(...lines);
        },
        onSent: () => {},
        now: () => new Date(0),
        bounds,
      }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

/** Acknowledges frames until no more arrive. */
async function drain(stream: EventStream, sent: readonly Sent[]): Promise<void> {
  for (let seen = -1; seen !== sent.length;) {
    seen = sent.length;
    stream.acked(sent.at(-1)?.wseq ?? 0);
    await setImmediate();
    await setImmediate();
  }
}

test("drops overflow by kind, output first, never decisive events, and counts it in one gap", async () => {
  using stage = openStage();
  const stream = stage.open();
  stream.resume(0);
  const long = "x".repeat(200);
  for (let round = 0; round < 50; round++) {
    stream.say(item("log", long));
    stream.say(item("message", long));
    stream.say(item("verify", `verify ${round}`));
  }
  await drain(stream, stage.sent);
  const verified = stage.sent.filter(({ kind }) => kind === "verify").map(({ text }) => text);
  assert.deepEqual(
    verified,
    Array.from({ length: 50 }, (_, round) => `verify ${round}`),
  );
  const gaps = stage.sent.filter(({ kind }) => kind === "gap");
  assert.equal(gaps.length, 1);
  const { lost } = Object(gaps[0].data);
  const logs = stage.sent.filter(({ kind }) => kind === "log").length;
  const messages = stage.sent.filter(({ kind }) => kind === "message").length;
  assert.deepEqual([logs + lost.log, messages + lost.message], [50, 50]);
  assert.ok(lost.log >= lost.message);
  const numbers = stage.sent.map(({ wseq }) => wseq);
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((a, b) => a - b),
  );
  assert.ok(stream.isSent);
  stream.close();
});

test("restores settled events after a restart, complete and in order", async () => {
  using stage = openStage({ items: 4, bytes: 10_000, spoolBytes: 1_000_000, gatheredMs: 0 });
  const first = stage.open();
  for (let line = 1; line <= 20; line++) first.say(item("log", `line ${line} é`));
  first.settle();
  first.close();
  const second = stage.open();
  assert.equal(second.isSent, false);
  second.resume(2);
  await drain(second, stage.sent);
  assert.deepEqual(
    stage.sent.map(({ wseq, text }) => `${wseq} ${text}`),
    Array.from({ length: 18 }, (_, at) => `${at + 3} line ${at + 3} é`),
  );
  second.close();
});

test("skips incomplete lines after a power cut", async () => {
  using stage = openStage();
  const first = stage.open();
  first.say(item("log", "before"));
  first.settle();
  first.close();
  appendFileSync(
    stage.path,
    `${"\0".repeat(40)}\nnull\n${JSON.stringify({ wseq: 2, ...item("log", "after") })}\n{"wseq":3,"at`,
  );
  const second = stage.open();
  second.resume(0);
  await drain(second, stage.sent);
  assert.deepEqual([stage.sent.map(({ text }) => text), second.isSent], [["before", "after"], true]);
  second.close();
});

test("sends four unacknowledged frames, and batches later events until the acknowledgement", async () => {
  using stage = openStage({ items: 100, bytes: 10_000, spoolBytes: 4_000, gatheredMs: 0 });
  const stream = stage.open();
  stream.resume(0);
  for (let line = 1; line <= 20; line++) {
    stream.say(item("log", `line ${line}`));
    await setImmediate();
  }
  assert.deepEqual(stage.frames, [1, 1, 1, 1]);
  assert.equal(stream.isSent, false);
  stream.acked(1);
  await setImmediate();
  assert.deepEqual(stage.frames, [1, 1, 1, 1, 16]);
  assert.ok(stream.isSent);
  stream.close();
});

test("sends the first line after a pause immediately, and batches the following ones", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  using stage = openStage({ items: 100, bytes: 10_000, spoolBytes: 4_000, gatheredMs: 20 });
  const stream = stage.open();
  stream.resume(0);
  for (let line = 1; line <= 6; line++) {
    stream.say(item("log", `line ${line}`));
    await setImmediate();
  }
  assert.deepEqual(stage.frames, [1]);
  context.mock.timers.tick(20);
  assert.deepEqual(stage.frames, [1, 5]);
  context.mock.timers.tick(20);
  stream.say(item("log", "after a rest"));
  await setImmediate();
  assert.deepEqual(stage.frames, [1, 5, 1]);
  stream.close();
});
