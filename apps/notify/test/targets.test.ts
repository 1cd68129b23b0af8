import assert from "node:assert/strict";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { eventOfRun } from "../src/run-events.ts";
import { ntfySender } from "../src/targets/ntfy.ts";
import { postJson } from "../src/targets/post.ts";
import { slackSender } from "../src/targets/slack.ts";
import { keyOfSecret, webhookSender } from "../src/targets/webhook.ts";
import { exampleRun } from "./support/fake-panel.ts";
import { startReceiver } from "./support/receiver.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const key = keyOfSecret(SECRET) ?? Buffer.alloc(0);
const HOSTILE = "<!channel> & <https://evil.test|click>\u0007 *bold* \u202egnp.exe";

function messageOf(changes: Parameters<typeof exampleRun>[0] = {}, now = Date.now()) {
  const event = eventOfRun(exampleRun(changes), now);
  assert.ok(event !== null);
  return { event, link: `https://panel.test${event.path}`, now };
}

test("the standardwebhooks library verifies a webhook", async () => {
  await using receiver = await startReceiver();
  const message = messageOf();
  assert.deepEqual(await webhookSender({ url: receiver.url, key })(message), { kind: "delivered" });
  const [{ headers, body }] = receiver.received;
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const payload = new Webhook(SECRET).verify(body, named);
  assert.equal(headers["webhook-id"], message.event.id);
  assert.partialDeepStrictEqual(payload, {
    type: "run.pr_opened",
    data: { url: message.link, run: { repo_name: "acme/sum", pr: { number: 1 } } },
  });
  assert.throws(() => new Webhook(SECRET).verify(`${body} `, named));
});

test("repository texts in a Slack message cannot mention anyone or add formatting", async () => {
  await using receiver = await startReceiver();
  await slackSender({ url: receiver.url })(messageOf({ repo_name: HOSTILE, focus: HOSTILE }));
  const { text, blocks } = JSON.parse(receiver.received[0].body);
  assert.ok(text.startsWith("&lt;!channel&gt; &amp; "), text);
  const formatted = JSON.stringify(blocks.filter((block: { readonly type: string }) => block.type === "context"));
  assert.ok(!formatted.includes("channel"), formatted);
  for (const { type, text: section } of blocks) if (type === "section") assert.equal(section.type, "plain_text");
  assert.ok(!receiver.received[0].body.includes("\u202e"));
});

test("an ntfy message has title, priority, tags and the address of the pull request", async () => {
  await using receiver = await startReceiver();
  await ntfySender({ url: receiver.url, topic: "builds", token: "tk_1" })(messageOf());
  assert.equal(receiver.received[0].headers.authorization, "Bearer tk_1");
  const body = JSON.parse(receiver.received[0].body);
  assert.deepEqual(body, {
    topic: "builds",
    title: "acme/sum: pull request opened",
    message: "Repair the sum.",
    priority: 3,
    click: "https://git.example.org/acme/sum/pull/1",
    tags: ["white_check_mark", "run.pr_opened"],
  });
});

test("a redirect is a failed attempt and is not followed", async () => {
  await using other = await startReceiver();
  await using receiver = await startReceiver((response) => response.writeHead(307, { Location: other.url }).end());
  const outcome = await postJson({ url: receiver.url, body: "{}", now: 0 });
  assert.deepEqual(outcome, { kind: "refused", error: "status 307" });
  assert.equal(other.received.length, 0);
});

test("cuts off an endless response", async () => {
  await using receiver = await startReceiver((response) => {
    response.writeHead(200);
    const fill = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    };
    response.on("drain", fill);
    fill();
  });
  assert.deepEqual(await postJson({ url: receiver.url, body: "{}", now: 0 }), { kind: "delivered" });
});

test("a target that does not respond times out", async () => {
  await using receiver = await startReceiver(() => {});
  const outcome = await postJson({ url: receiver.url, body: "{}", now: 0, timeoutMs: 50 });
  assert.deepEqual(outcome, { kind: "unavailable", error: "timeout", retryAfterMs: null });
});

test("Retry-After is understood as seconds and as a date", async () => {
  const now = Date.parse("2026-11-26T08:00:00Z");
  let header = "120";
  await using receiver = await startReceiver((response) => response.writeHead(429, { "Retry-After": header }).end());
  const outcome = () => postJson({ url: receiver.url, body: "{}", now });
  assert.deepEqual(await outcome(), { kind: "unavailable", error: "status 429", retryAfterMs: 120_000 });
  header = "Thu, 26 Nov 2026 08:05:00 GMT";
  assert.deepEqual(await outcome(), { kind: "unavailable", error: "status 429", retryAfterMs: 300_000 });
});

test("reports an unreachable target by error code, without its address", async () => {
  const { url } = await (async () => {
    await using receiver = await startReceiver();
    return receiver;
  })();
  const outcome = await postJson({ url: `${url}/secret-path`, body: "{}", now: 0 });
  assert.deepEqual(outcome, { kind: "unavailable", error: "ECONNREFUSED", retryAfterMs: null });
});
