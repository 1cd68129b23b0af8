import assert from "node:assert/strict";
import { test } from "node:test";
import { createLoginGuard } from "../../src/domain/login-guard.ts";

const MINUTE = 60_000;
const OWNER = "owner@example.test";
const T = Date.parse("2026-11-24T10:00:00Z");

test("counts an address of IPv6 by its /64, and a mapped address as its IPv4", () => {
  const guard = createLoginGuard(2);
  guard.failed("2606:4700:1:2::1", OWNER, T);
  guard.failed("2606:4700:1:2:ffff::9", OWNER, T);
  assert.equal(guard.waitOf("2606:4700:1:2:abcd::5", OWNER, T), 15 * MINUTE);
  assert.equal(guard.waitOf("2606:4700:1:3::1", OWNER, T), null);
  guard.failed("::ffff:192.0.2.1", OWNER, T);
  guard.failed("192.0.2.1", OWNER, T);
  assert.equal(guard.waitOf("192.0.2.1", OWNER, T), 15 * MINUTE);
});

function attackFromMany(guard: ReturnType<typeof createLoginGuard>, tries: number): number {
  let made = 0;
  for (let n = 0; n < tries; n++) {
    const [ip, at] = [`192.0.2.${n}`, T + n * 1_000];
    if (guard.waitOf(ip, OWNER, at) !== null) continue;
    guard.failed(ip, OWNER, at);
    made++;
  }
  return made;
}

test("slows down guesses at one email from many addresses to one a minute", () => {
  const guard = createLoginGuard(5);
  assert.equal(attackFromMany(guard, 30), 20);
  const now = T + 30_000;
  const wait = guard.waitOf("198.51.100.1", OWNER, now) ?? 0;
  assert.ok(wait > 0 && wait <= MINUTE, `${wait}`);
  assert.equal(guard.waitOf("198.51.100.1", "other@example.test", now), null);
  assert.equal(guard.waitOf("198.51.100.1", OWNER, now + wait), null);
});

test("does not slow down the owner at an IP address from which they signed in before", () => {
  const guard = createLoginGuard(5);
  guard.failed("2606:4700:1:2::1", OWNER, T - MINUTE);
  guard.succeeded("2606:4700:1:2::1", OWNER, T - MINUTE);
  attackFromMany(guard, 30);
  assert.equal(guard.waitOf("2606:4700:1:2::77", OWNER, T + 30_000), null);
  assert.notEqual(guard.waitOf("198.51.100.1", OWNER, T + 30_000), null);
});

test("counts sign-in links by IP address alone", () => {
  const guard = createLoginGuard(5);
  for (let n = 0; n < 30; n++) guard.failed(`192.0.2.${n}`, "", T);
  assert.equal(guard.waitOf("198.51.100.1", "", T), null);
});
