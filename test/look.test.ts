/** One look: the dashboard is built apart from the pages that services send, and has the same colours, sizes and type. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const text = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("the dashboard has every token that the pages have, with the same value by day and by night", () => {
  const pages = tokensOf(text("packages/server/src/pages/browser/tokens.css"));
  const dashboard = tokensOf(text("apps/dashboard/src/style.css"));
  const byDayAndNight = [...pages.values()].filter((value) => value.startsWith("light-dark("));
  assert.ok(pages.size > 20 && byDayAndNight.length > 12);
  for (const [name, value] of pages) assert.equal(dashboard.get(name), value, name);
});

/** Of the first rule: what comes after it uses them. */
function tokensOf(css: string): ReadonlyMap<string, string> {
  const rule = css.slice(css.indexOf(":root"), css.indexOf("}", css.indexOf(":root")));
  return new Map([...rule.matchAll(/^\s*--([\w-]+): (.*);$/gm)].map(([, name = "", value = ""]) => [name, value]));
}
