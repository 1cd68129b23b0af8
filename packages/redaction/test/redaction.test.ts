import assert from "node:assert/strict";
import { test } from "node:test";
import { array, assert as assertProperty, constantFrom, nat, property } from "fast-check";
import { createRedactor, type Redactor } from "../src/index.ts";

const SECRET = "correct horse/battery+staple";
const redactor = createRedactor(new Map([["FORGE_TOKEN", SECRET]]));
const PEM = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIA\nAwEHoUQDQgAE\n-----END EC PRIVATE KEY-----";
// Assembled here, so that scanners do not report this file.
const TOKENS: Readonly<Record<string, string>> = {
  github_token: `ghp_${"a1B2".repeat(9)}`,
  gitlab_token: `glpat-${"x9-_".repeat(5)}`,
  model_key: `sk-proj-${"q7".repeat(12)}`,
  aws_key: `AKIA${"Z2".repeat(8)}`,
  google_key: `AIza${"Sy4-".repeat(8)}`,
  slack_token: `xoxb-${"12-ab".repeat(4)}`,
  npm_token: `npm_${"k3".repeat(18)}`,
  jwt: ["eyJhbGciOiJ9", "eyJzdWIiOiJ9", "s1g".repeat(8)].join("."),
  private_key: PEM,
  triptych_key: `lic_${"a9".repeat(24)}`,
  run_token: `rt_${"b8".repeat(16)}`,
};

for (const [name, token] of Object.entries(TOKENS))
  test(`recognizes a ${name} by its pattern`, () => {
    assert.equal(redactor.text(`key=${token}\nnext`), `key=[redacted:${name}]\nnext`);
    assert.deepEqual(redactor.find(`(${token})`), [name]);
  });

test("keeps words that only start like a token", () => {
  const text = "sk-loading-indicator-of-the-page start_of_a_long_name_in_snake_case npm_config eyJ AKIA task-sk-1";
  assert.equal(redactor.text(text), text);
});

test("finds a known value literally, URL-encoded, in JSON and inside base64", () => {
  assert.equal(redactor.text(`a ${SECRET} b`), "a [redacted:FORGE_TOKEN] b");
  assert.equal(redactor.text(`?t=${encodeURIComponent(SECRET)}&`), "?t=[redacted:FORGE_TOKEN]&");
  for (const user of ["", "x", "me", "you"]) {
    const redacted = redactor.text(Buffer.from(`${user}:${SECRET}:${user}`).toString("base64"));
    assert.match(redacted, /\[redacted:FORGE_TOKEN\]/);
    assert.ok(
      !Buffer.from(redacted.replace(/\[.*\]/, ""), "base64")
        .toString()
        .includes("horse"),
    );
  }
});

function inPieces(from: Redactor, pieces: readonly string[]): string {
  const stream = from.stream();
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

test("stream output does not depend on chunk boundaries", () => {
  const fragments = constantFrom(
    SECRET,
    ...Object.values(TOKENS),
    "plain",
    "words ",
    "\n",
    "é",
    "=",
    "-----BEGIN ",
    "🦊",
  );
  assertProperty(
    property(array(fragments, { maxLength: 12 }), array(nat(400), { maxLength: 6 }), (parts, cuts) => {
      const text = parts.join("");
      const offsets = [0, ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
      const pieces = offsets.slice(1).map((to, at) => text.slice(offsets[at], to));
      assert.equal(inPieces(redactor, pieces), redactor.text(text));
    }),
    { numRuns: 300, seed: 6 },
  );
});

test("covers every split point of every secret", () => {
  for (const secret of [SECRET, ...Object.values(TOKENS)]) {
    const text = `before ${secret} after\n`;
    for (let at = 1; at < text.length; at++)
      assert.equal(inPieces(redactor, [text.slice(0, at), text.slice(at)]), redactor.text(text));
  }
});

test("emits complete lines immediately, and cuts a line without breaks at the limit", () => {
  const stream = redactor.stream();
  assert.equal(stream.push("tests passed\n"), "tests passed\n");
  const output = Array.from({ length: 100 }, () => stream.push("x".repeat(10_000))).join("");
  assert.equal(output, "[cut: a run of symbols without a break]");
  assert.equal(stream.push(" and on\n"), " and on\n");
});

test("the prefilter misses nothing that the patterns find, in any context", () => {
  const registered = new Map([
    ["A", "pass word"],
    ["B", "zzzzzzzz"],
    ["C", "ünïcödé-secret"],
  ]);
  const many = createRedactor(registered);
  const noise = constantFrom(
    "-",
    "a",
    "z",
    "zz",
    " ",
    ".",
    "\n",
    "é",
    "longer-than-fifteen_symbols",
    "/usr/lib/node",
    "s",
  );
  const secrets = constantFrom(...registered.values(), ...Object.values(TOKENS));
  assertProperty(
    property(array(noise, { maxLength: 40 }), secrets, array(noise, { maxLength: 40 }), (before, secret, after) => {
      const text = `${before.join("")} ${secret} ${after.join("")}`;
      assert.ok(!many.text(text).includes(secret), text);
      assert.ok(many.clean(text).found > 0);
    }),
    { numRuns: 500, seed: 7 },
  );
});

test("removes a secret split between consecutive texts", () => {
  for (const secret of [SECRET, TOKENS["github_token"] ?? "", PEM])
    for (let at = 1; at < secret.length - 1; at++) {
      const texts = ["before ", `x ${secret.slice(0, at)}`, secret.slice(at, at + 1), `${secret.slice(at + 1)} after`];
      const { texts: cleaned, found } = redactor.cleanAll(texts);
      assert.ok(!cleaned.join("").includes(secret.slice(-6)), cleaned.join("|"));
      assert.deepEqual([cleaned.length, cleaned[0], cleaned[3], found], [4, "before ", " after", 1]);
    }
  const apart = ["word", `${TOKENS["npm_token"]} and`, "more"];
  assert.deepEqual(redactor.cleanAll(apart), { texts: ["word", "[redacted:npm_token] and", "more"], found: 1 });
});
