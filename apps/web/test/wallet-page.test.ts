import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { builtWebSite } from "../build/sites.ts";
import { dailyBalances } from "../wallet/src/daily-balance.ts";
import { readEntries } from "../wallet/src/read-entries.ts";
import { FRENCH } from "../wallet/src/texts-fr.ts";
import { ENGLISH } from "../wallet/src/texts.ts";

const WEB = join(import.meta.dirname, "..");
const sources = globSync(["wallet/index.html", "wallet/src/*.{ts,tsx}", "shared/*.{ts,tsx}"], { cwd: WEB }).map(
  (name) => ({ name, text: readFileSync(join(WEB, name), "utf8") }),
);

test("builds within 60 KiB, compressed, without inline or external resources", async () => {
  const folder = await builtWebSite("wallet");
  const shell = await readFile(join(folder, "index.html"), "utf8");
  assert.doesNotMatch(shell, /<script>|<style|style="|https?:|\son\w+=/);
  const assets = join(folder, "assets");
  const names = await readdir(assets);
  const compressed = names.filter((name) => name.endsWith(".gz"));
  assert.ok(compressed.length >= 2 && names.length === compressed.length * 3, names.join(" "));
  const gzip = await Promise.all(compressed.map((name) => readFile(join(assets, name))));
  const kib = gzip.reduce((sum, body) => sum + body.length, 0) / 1024;
  assert.ok(kib > 15 && kib <= 60, `${kib} KiB`);
});

test("no source refers to another origin, sets markup from text, or evaluates text", () => {
  assert.ok(sources.length > 15);
  const forbidden = /["'(]https?:\/\/|@import|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/i;
  for (const { name, text } of sources) assert.doesNotMatch(text, forbidden, name);
});

test("no field has a name that a form could put into a URL", () => {
  for (const { name, text } of sources) assert.doesNotMatch(text, /<(input|select|textarea)[^>]*\sname=/, name);
});

test("every text of the wallet pages is used, and its placeholders are the same in French", () => {
  const used = sources.filter(({ name }) => !name.includes("texts")).map(({ text }) => text);
  const isUsed = (key: string) => used.some((text) => text.includes(`"${key}"`) || text.includes(`say(${key}`));
  /** Keys made from a value: `kind_${kind}`. */
  const prefixes = used.flatMap((text) => [...text.matchAll(/say\(`(\w+_)\$/g)].map(([, prefix = ""]) => prefix));
  const names = ["per_charge_micro", "per_day_micro", "per_month_micro", "total_micro"];
  for (const [key, text] of Object.entries(ENGLISH)) {
    const isMade =
      prefixes.some((prefix) => key.startsWith(prefix)) || /^(recover|verify)(Title|Why|Action)$/.test(key);
    assert.ok(isUsed(key) || isMade || names.includes(key), key);
    assert.deepEqual(placeholders(FRENCH[key as keyof typeof FRENCH]), placeholders(text), key);
  }
});

function placeholders(text: string | { readonly one: string; readonly other: string }): readonly string[] {
  const whole = typeof text === "string" ? text : text.other;
  return [...whole.matchAll(/\{\w+\}/g)].map(String).toSorted((one, other) => (one < other ? -1 : 1));
}

test("parses entries as lines, API pages and statements, and reports anything else", () => {
  const entry = {
    id: "ent_1",
    seq: 1,
    kind: "topup",
    amount_micro: 500,
    balance_after_micro: 500,
    charge_id: null,
    topup_id: "top_1",
    reverses: null,
    op: null,
    created_at: "2026-11-02T08:00:00.000Z",
    prev: "A".repeat(22),
  };
  const text = JSON.stringify(entry);
  for (const form of [
    text,
    `${text}\n\n${text}`,
    `[${text}]`,
    `{"items":[${text}],"next_cursor":null}\n{"items":[],"next_cursor":null}`,
    `{"month":"2026-11","movements":[${text}]}`,
  ])
    assert.deepEqual(readEntries(form).entries[0], entry, form);
  assert.equal(readEntries(`${text}\n{"seq":2}`).wrongLine, 2);
  assert.deepEqual(readEntries("[]"), { entries: [], wrongLine: null });
  assert.equal(readEntries(JSON.stringify({ ...entry, seq: "1" })).wrongLine, 0);
});

test("reads the balance of each day from one entry per day with movements", async () => {
  const entries = [
    { created_at: "2026-11-26T23:59:59.999Z", balance_after_micro: 700 },
    { created_at: "2026-11-24T10:00:00.000Z", balance_after_micro: 500 },
    { created_at: "2026-11-24T09:00:00.000Z", balance_after_micro: 900 },
  ];
  const ends: string[] = [];
  const lastEntry = async (before: string) => {
    ends.push(before);
    return entries.find((entry) => entry.created_at < before) ?? null;
  };
  const balances = await dailyBalances(lastEntry, { now: Date.parse("2026-11-27T04:00:00.000Z"), days: 5 });
  assert.deepEqual(
    balances.map(({ day, micro }) => [day.slice(-2), micro]),
    [
      ["23", null],
      ["24", 500],
      ["25", 500],
      ["26", 700],
      ["27", 700],
    ],
  );
  assert.deepEqual(
    ends.map((before) => before.slice(8, 10)),
    ["28", "26", "24"],
  );
});
