import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { builtDashboard } from "../build/build-dashboard.ts";
import { FIRST_LOAD_BYTES, overweight, ROUTE_BYTES, weigh } from "../build/bundle-size.ts";

test("builds once, within the size budget, without inline or external resources", async () => {
  const folder = await builtDashboard();
  assert.equal(await builtDashboard(), folder);
  // The serving user may differ from the building user.
  assert.equal((await stat(folder)).mode, (await stat(dirname(folder))).mode);
  const weight = await weigh(folder);
  assert.deepEqual(overweight(weight), []);
  assert.ok(weight.firstLoad > 50_000 && weight.routes.length >= 5, JSON.stringify(weight));
  const shell = await readFile(join(folder, "index.html"), "utf8");
  assert.doesNotMatch(shell, /<script>|<style|style=|https?:|\son\w+=/);
  const names = await readdir(join(folder, "assets"));
  assert.ok(
    names.every((name) => /-[\w-]{8}\.(js|css|svg)$/.test(name)),
    names.join(" "),
  );
});

test("reports a bundle above its size budget", () => {
  const issues = overweight({
    firstLoad: FIRST_LOAD_BYTES + 1,
    routes: [
      ["runs", ROUTE_BYTES],
      ["run", ROUTE_BYTES + 1],
    ],
  });
  assert.equal(issues.length, 2);
  assert.match(issues.join(" "), /first load weighs 133121 bytes.*run weighs 40961 bytes/);
});
