import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { test } from "node:test";
import { withoutComments } from "@triptych/server";
import { pageAssets } from "../../src/pages/page-assets.ts";

const assets = pageAssets().map((asset) => ({ ...asset, text: readFileSync(asset.file, "utf8") }));
const scripts = assets.filter((asset) => asset.path.endsWith(".js"));

test("every file of the pages is served, and every served file exists", () => {
  const files = readdirSync(new URL("../../src/pages/browser/", import.meta.url)).filter((name) =>
    /\.(js|css)$/.test(name),
  );
  assert.deepEqual(new Set(assets.map((asset) => asset.file.pathname.split("/").at(-1))), new Set(files));
});

test("every import of a script finds a served file beside it", () => {
  for (const { path, text } of scripts) {
    for (const [, specifier = ""] of text.matchAll(/^(?:import|\} from) .*?"(\.[^"]+)";$/gm)) {
      const address = join(dirname(path), specifier);
      assert.ok(
        assets.some((asset) => asset.path === address),
        `${path} imports ${address}`,
      );
    }
  }
});

test("no asset refers to another origin, sets markup from text, or evaluates text", () => {
  for (const { path, text } of assets) {
    assert.doesNotMatch(
      text,
      /https?:\/\/|@import|\burl\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/,
      path,
    );
  }
});

test("removes comments and nothing else", () => {
  const script = `/** What it is. */
import { a } from "./a.js";

/** @param {string} x */
export function f(/** @type {string} */ x) {
  // why
  return "https://example.test//x" + x; // kept: it does not stand alone
}
`;
  assert.equal(
    withoutComments(script),
    `import { a } from "./a.js";

export function f(x) {
  return "https://example.test//x" + x; // kept: it does not stand alone
}
`,
  );
});
