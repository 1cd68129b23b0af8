import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { alertFiles, metricsIn, monitoringExpressions } from "./support/monitoring.ts";

const SERVICES = ["panel", "directory", "gateway", "router", "rail"];
const hasPromtool = spawnSync("promtool", ["--version"]).error === undefined;

test("every service has alert rules and a dashboard of its own metrics", async () => {
  const expressions = await monitoringExpressions();
  for (const service of SERVICES)
    for (const file of [`alerts/${service}.yml`, `dashboards/${service}.json`]) {
      const own = expressions.filter((expression) => expression.file.endsWith(file));
      assert.ok(
        own.some((expression) => [...metricsIn(expression)].some((name) => name.startsWith(`${service}_`))),
        file,
      );
    }
});

test("every alert is named once, and rejects text that is not PromQL", async () => {
  const alerts = (await monitoringExpressions()).filter(({ file }) => file.includes("/alerts/"));
  assert.equal(new Set(alerts.map(({ name }) => name)).size, alerts.length);
  assert.throws(() => metricsIn({ file: "a.yml", name: "Broken", text: "sum(rate(x[5m])" }), /a\.yml: Broken/);
});

test("promtool accepts the alert rules", { skip: !hasPromtool && "promtool is not installed" }, async () => {
  execFileSync("promtool", ["check", "rules", ...(await alertFiles())]);
});

test("docs/operators.md describes every metric of a rule or a dashboard", async () => {
  const text = await readFile(new URL("../docs/operators.md", import.meta.url), "utf8");
  for (const expression of await monitoringExpressions())
    for (const name of metricsIn(expression))
      assert.ok(text.includes(name.replace(/^(process|nodejs)_.*/, "$1_")), name);
});
