/** The PromQL expressions of alert rules and Grafana dashboards, and the metrics that they name. */
import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parser } from "@prometheus-io/lezer-promql";
import { parse } from "yaml";

const DEPLOY = new URL("../../deploy/", import.meta.url);
/** Series that Prometheus makes itself. */
const OF_PROMETHEUS = ["up"];

export interface Expression {
  readonly file: string;
  readonly name: string;
  readonly text: string;
}

interface RuleFile {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

export async function alertFiles(): Promise<readonly string[]> {
  const folder = fileURLToPath(new URL("prometheus/alerts/", DEPLOY));
  return (await Array.fromAsync(glob("*.yml", { cwd: folder }))).sort().map((file) => folder + file);
}

export async function monitoringExpressions(): Promise<readonly Expression[]> {
  const found: Expression[] = [];
  for (const file of await alertFiles()) {
    const { groups }: RuleFile = parse(await readFile(file, "utf8"));
    for (const { alert, expr } of groups.flatMap(({ rules }) => rules)) found.push({ file, name: alert, text: expr });
  }
  const folder = fileURLToPath(new URL("grafana/dashboards/", DEPLOY));
  for (const file of (await Array.fromAsync(glob("*.json", { cwd: folder }))).sort()) {
    const { panels }: Dashboard = JSON.parse(await readFile(folder + file, "utf8"));
    for (const { title, targets } of panels)
      for (const { expr } of targets) found.push({ file: folder + file, name: title, text: expr });
  }
  return found;
}

/** Throws for an expression that is not PromQL. Histograms are named without the suffix of their series. */
export function metricsIn({ file, name, text }: Expression): ReadonlySet<string> {
  const metrics = new Set<string>();
  parser.parse(text).iterate({
    enter({ type, from, to }) {
      if (type.isError) throw new Error(`${file}: ${name}: not PromQL near "${text.slice(from, to + 20)}"`);
      if (type.name !== "VectorSelector") return;
      const metric = /^\w+/.exec(text.slice(from, to))?.[0] ?? "";
      if (!OF_PROMETHEUS.includes(metric)) metrics.add(metric.replace(/_(bucket|sum|count)$/, ""));
    },
  });
  return metrics;
}

export async function monitoredMetrics(): Promise<ReadonlySet<string>> {
  return new Set((await monitoringExpressions()).flatMap((expression) => [...metricsIn(expression)]));
}
