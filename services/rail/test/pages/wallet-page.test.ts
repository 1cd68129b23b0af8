import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { loadPageAssets } from "@triptych/server";
import { readEntries } from "../../src/pages/browser/read-entries.js";
import { pageAssets } from "../../src/pages/page-assets.ts";
import { verifyPage } from "../../src/pages/verify-page.ts";
import { walletPage } from "../../src/pages/wallet-page.ts";

const assets = pageAssets().map((asset) => ({ ...asset, text: readFileSync(asset.file, "utf8") }));

test("every file of the page is served, and every import of a script finds a served file", () => {
  const files = readdirSync(new URL("../../src/pages/browser/", import.meta.url)).filter((name) =>
    /\.(js|css)$/.test(name),
  );
  assert.deepEqual(new Set(assets.map((asset) => asset.path.split("/").at(-1))), new Set(files));
  for (const { path, text } of assets)
    for (const [, specifier = ""] of text.matchAll(/^(?:import|\} from) .*?"(\.[^"]+)";$/gm)) {
      const address = join(dirname(path), specifier);
      assert.ok(
        assets.some((asset) => asset.path === address),
        `${path} imports ${address}`,
      );
    }
});

test("no asset refers to another origin, sets markup from text, or evaluates text", () => {
  const forbidden = /["'(]https?:\/\/|@import|\burl\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/;
  for (const { path, text } of assets) assert.doesNotMatch(text, forbidden, path);
});

test("no page has an inline script or style, or an input that a form could put into a URL", () => {
  for (const page of [
    walletPage({ provider: "test", minimumMicro: 10_000, savesMethods: true }),
    verifyPage("http://127.0.0.1:7005"),
  ]) {
    assert.doesNotMatch(page, /<style|style="|\son[a-z]+="|<script(?![^>]*src=)/);
    assert.doesNotMatch(page, /<(input|textarea|select)[^>]*\sname=/);
  }
});

test("explains the payment method, and requires the provider's minimum amount", () => {
  const page = (provider: "test" | "manual" | "stripe", minimumMicro: number) =>
    walletPage({ provider, minimumMicro, savesMethods: provider !== "manual" });
  assert.match(page("test", 10_000), /Test mode[\s\S]*min="0\.01"\s+max="1000"/);
  assert.match(page("stripe", 500_000), /min="0.5"[\s\S]*with Stripe Checkout/);
  assert.match(page("stripe", 500_000), /id="auto-amount"[^>]*min="0.50"/);
  assert.doesNotMatch(page("manual", 10_000), /Test mode|auto-form/);
});

test("all scripts of the rail's pages take at most 16 KiB on the wire", async () => {
  const loaded = (await loadPageAssets(pageAssets())).filter(({ path }) => path.endsWith(".js"));
  const weight = loaded.reduce((sum, { body }) => sum + gzipSync(body).length, 0) / 1024;
  assert.ok(weight <= 16, `${weight} KiB`);
});

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
  assert.match(readEntries(`${text}\n{"seq":2}`).issue ?? "", /^Line 2 is not an entry/);
  assert.match(readEntries("[]").issue ?? "", /No entries found/);
  assert.match(readEntries(JSON.stringify({ ...entry, seq: "1" })).issue ?? "", /^This is not an entry/);
});
