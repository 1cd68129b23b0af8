import assert from "node:assert/strict";
import { test } from "node:test";
import { emailSender } from "../src/targets/email.ts";
import { startMailServer } from "./support/mail-server.ts";
import { sampleEvent } from "./support/outbox.ts";

const START = Date.parse("2026-11-26T08:00:00Z");

async function send(smtp: string, to: readonly string[]) {
  const { send: sendMail, close } = emailSender({ smtp, from: "triptych@example.org", to });
  const event = { ...sampleEvent(1, START), title: "Pull request opened", text: "Repair the sum." };
  const outcome = await sendMail({ event, link: `https://panel.test${event.path}`, now: START });
  close();
  return { event, outcome };
}

test("sends an email to each address, with the same ID on each attempt", async () => {
  await using server = await startMailServer();
  const { event, outcome } = await send(server.url, ["ada@example.org", "bob@example.org"]);
  assert.deepEqual(outcome, { kind: "delivered" });
  const recipients = server.received.filter((line) => line.startsWith("RCPT"));
  assert.deepEqual(recipients, ["RCPT TO:<ada@example.org>", "RCPT TO:<bob@example.org>"]);
  const content = server.received.find((line) => line.includes("Subject:")) ?? "";
  for (const line of [
    "Subject: Pull request opened",
    `Message-ID: <${event.id}@triptych.invalid>`,
    "Date: Thu, 26 Nov 2026 08:00:00 +0000",
    "Auto-Submitted: auto-generated",
    "Repair the sum.",
    `https://panel.test${event.path}`,
  ])
    assert.ok(content.split("\r\n").includes(line), `${line} in\n${content}`);
});

test("an email that the server rejects fails, and one that it defers is retried", async () => {
  await using server = await startMailServer({ unknown: "550 no such box unknown@example.org", busy: "451 later" });
  const outcomes = [];
  for (const name of ["unknown", "busy"]) outcomes.push((await send(server.url, [`${name}@example.org`])).outcome);
  assert.deepEqual(outcomes, [
    { kind: "refused", error: "EENVELOPE 550" },
    { kind: "unavailable", error: "EENVELOPE 451", retryAfterMs: null },
  ]);
});

test("reports an unreachable mail server by error code, without its address", async () => {
  const { url } = await (async () => {
    await using server = await startMailServer();
    return server;
  })();
  const { outcome } = await send(url.replace("//", "//user:password@"), ["ada@example.org"]);
  assert.deepEqual(outcome, { kind: "unavailable", error: "ESOCKET", retryAfterMs: null });
});

test("an unparsable mail server address fails the email, not the process", async () => {
  const { outcome } = await send("smtp://[", ["ada@example.org"]);
  assert.equal(outcome.kind, "unavailable");
});
