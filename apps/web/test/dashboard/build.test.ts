import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { overweight, weigh } from "../../build/bundle-size.ts";
import { builtWebSite, SITES } from "../../build/sites.ts";

test("builds once, within the size budget, without inline or external resources", async () => {
  const folder = await builtWebSite("dashboard");
  assert.equal(await builtWebSite("dashboard"), folder);
  // The serving user may differ from the building user.
  assert.equal((await stat(folder)).mode, (await stat(dirname(folder))).mode);
  const weights = await weigh(folder, SITES.dashboard);
  assert.deepEqual(overweight(weights), []);
  const sizeOf = (named: string) => weights.find(({ name }) => name === named)?.bytes ?? 0;
  const screens = weights.filter(({ budgetKib }) => budgetKib === SITES.dashboard.screens.eachKib);
  assert.ok(sizeOf("the first load") > 50_000 && screens.length >= 5, JSON.stringify(weights));
  assert.ok(screens.every(({ bytes }) => bytes > 0));
  const shell = await readFile(join(folder, "index.html"), "utf8");
  assert.doesNotMatch(shell, /<script>|<style|style=|https?:|\son\w+=/);
  const names = await readdir(join(folder, "assets"));
  assert.ok(
    names.every((name) => /-[\w-]{8}\.(js|css|svg)(\.br|\.gz)?$/.test(name)),
    names.join(" "),
  );
});

test("reports a bundle above its size budget", () => {
  const issues = overweight([
    { name: "the first load", bytes: 130 * 1024 + 1, budgetKib: 130 },
    { name: "runs", bytes: 40 * 1024, budgetKib: 40 },
    { name: "run", bytes: 40 * 1024 + 1, budgetKib: 40 },
  ]);
  assert.equal(issues.length, 2);
  assert.match(issues.join(" "), /first load weighs 133121 bytes.*run weighs 40961 bytes/);
});
