import assert from "node:assert/strict";
import { test } from "node:test";
import { createTriptych } from "../src/index.ts";
import { problem, scripted } from "./support/scripted.ts";

const message = (seq: number) => `id: ${seq}\ndata: ${JSON.stringify({ seq, kind: "text" })}\n\n`;

/** A stream of these chunks, which then ends or fails. */
function stream(chunks: readonly string[], breaks = false): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      if (!breaks) controller.close();
    },
    pull: (controller) => controller.error(new TypeError("terminated")),
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

function panelOf(answers: readonly (Response | Error)[]) {
  const { transport, requests, waited } = scripted(answers);
  const { panel } = createTriptych({ panel: { url: "http://panel.test", token: "pnl_1" }, ...transport });
  return { panel, requests, waited };
}

async function seqs(events: AsyncIterable<{ readonly seq: number }>): Promise<number[]> {
  const found: number[] = [];
  for await (const { seq } of events) found.push(seq);
  return found;
}

test("yields the messages of a run until its end", async () => {
  const { panel, requests } = panelOf([
    stream(["retry: 1000\n\n", message(1).slice(0, 9), message(1).slice(9) + message(2), "event: end\ndata: {}\n\n"]),
  ]);
  assert.deepEqual(await seqs(panel.bus.stream({ id: "run_1", kind: ["state"] })), [1, 2]);
  assert.equal(requests[0]?.url, "http://panel.test/api/runs/run_1/bus?kind=state");
  assert.equal(new Headers(requests[0]?.init.headers).get("accept"), "text/event-stream");
});

test("reconnects after the last message, and ends when the server has no more", async () => {
  const { panel, requests, waited } = panelOf([
    stream([message(1), message(2)], true),
    new TypeError("fetch failed"),
    stream([message(3)]),
    new Response(null, { status: 204 }),
  ]);
  assert.deepEqual(await seqs(panel.bus.stream({ id: "run_1" })), [1, 2, 3]);
  const resumed = requests.map(({ init }) => new Headers(init.headers).get("last-event-id"));
  assert.deepEqual(resumed, [null, "2", "2", "3"]);
  assert.deepEqual(waited, [200, 400, 200]);
});

test("gives up after its retries, and immediately on a permanent problem", async () => {
  const broken = panelOf([new TypeError("a"), new TypeError("b"), new TypeError("c")]);
  await assert.rejects(seqs(broken.panel.bus.stream({ id: "run_1" })), /^TypeError: c/);
  const unknown = panelOf([problem(404, "not_found")]);
  await assert.rejects(seqs(unknown.panel.bus.stream({ id: "run_1" })), { code: "not_found" });
});

test("ends when its signal aborts, and closes the connection", async () => {
  const stop = new AbortController();
  let isClosed = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(message(1))),
    cancel: () => void (isClosed = true),
  });
  const { panel } = panelOf([new Response(body)]);
  const reading = (async () => {
    for await (const _message of panel.bus.stream({ id: "run_1" }, { signal: stop.signal })) {
      stop.abort();
      break;
    }
  })();
  await reading;
  assert.ok(isClosed);
  await assert.rejects(seqs(panel.bus.stream({ id: "run_1" }, { signal: stop.signal })), { name: "AbortError" });
});
