import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { loadPageAssets } from "@triptych/server";
import { pageAssets } from "../../src/pages/page-assets.ts";
import { walletPage } from "../../src/pages/wallet-page.ts";

const assets = pageAssets().map((asset) => ({ ...asset, text: readFileSync(asset.file, "utf8") }));

test("every file of the page is served, and every import of a script finds a served file", () => {
  const files = readdirSync(new URL("../../src/pages/browser/", import.meta.url)).filter((name) =>
    /\.(js|css)$/.test(name),
  );
  const shared = "tokens.css";
  assert.deepEqual(new Set(assets.map((asset) => asset.path.split("/").at(-1))), new Set([...files, shared]));
  assert.ok(!files.includes(shared), "the look that pages share has no copy here");
  for (const { path, text } of assets)
    for (const [, wanted = ""] of text.matchAll(/^(?:import|\} from) .*?"(\.[^"]+)";$/gm)) {
      const address = join(dirname(path), wanted);
      assert.ok(
        assets.some((asset) => asset.path === address),
        `${path} imports ${address}`,
      );
    }
});

test("no asset names an address elsewhere, sets markup from text, or evaluates text", () => {
  const forbidden = /["'(]https?:\/\/|@import|\burl\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(/;
  for (const { path, text } of assets) assert.doesNotMatch(text, forbidden, path);
});

test("the page has no inline script or style, and no input that a form could put into an address", () => {
  const page = walletPage({ provider: "test", minimumMicro: 10_000 });
  assert.doesNotMatch(page, /<style|style="|\son[a-z]+="|<script(?![^>]*src=)/);
  assert.doesNotMatch(page, /<(input|textarea|select)[^>]*\sname=/);
});

test("the page says how money comes in, and asks for no less than the provider takes", () => {
  const page = (provider: "test" | "manual" | "stripe", minimumMicro: number) => walletPage({ provider, minimumMicro });
  assert.match(page("test", 10_000), /test money[\s\S]*min="0\.01"\s+max="1000"/);
  assert.match(page("stripe", 500_000), /min="0.5"[\s\S]*on a page of Stripe/);
  assert.doesNotMatch(page("manual", 10_000), /test money/);
});

test("the scripts of the wallet page weigh at most 8 KiB on the wire", async () => {
  const loaded = (await loadPageAssets(pageAssets())).filter(
    ({ path }) => path.endsWith(".js") && path !== "/wallet/link.js",
  );
  const weight = loaded.reduce((sum, { body }) => sum + gzipSync(body).length, 0) / 1024;
  assert.ok(weight <= 8, `${weight} KiB`);
});
