/** `npm run bench:traces`: compares paid decisions with tracing on and off, in one run; `--rounds`, `--seconds`. */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { median } from "@triptych/util";
import { machine, progress, renderTable } from "../../../packages/decisions/bench/report.ts";
import { startLoad } from "../../../packages/decisions/bench/start-load.ts";
import { openProduct, type Product } from "./open-product.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "3" }, rounds: { type: "string", default: "5" } },
});
const CLIENTS = 32;
const WARM_UP_MS = 5000;

const folder = mkdtempSync(join(tmpdir(), "triptych-traces-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

let exports = 0;
const collector = createServer((request, response) => {
  exports++;
  request.resume().on("end", () => response.setHeader("content-type", "application/json").end("{}"));
});
collector.listen(0, "127.0.0.1");
await once(collector, "listening");
const address = collector.address();
const endpoint = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
const on = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
const variants = [
  { name: "off", environment: {} },
  { name: "every trace", environment: on },
  {
    name: "1 trace in 10",
    environment: { ...on, OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.1" },
  },
];

await using opened = new AsyncDisposableStack();
const load = opened.use(startLoad());
interface Variant {
  readonly name: string;
  readonly product: Product;
  readonly rates: number[];
  /** CPU time of the three services, in milliseconds per decision. */
  readonly cpu: number[];
}

const found: Variant[] = [];
for (const [index, { name, environment }] of variants.entries()) {
  const own = join(folder, String(index));
  mkdirSync(own);
  const product = opened.use(await openProduct({ folder: own, databaseUrl: undefined, environment }));
  found.push({ name, product, rates: [], cpu: [] });
}
let seed = 0;
const cpuOf = async ({ gateway, rail, router }: Product) =>
  (await Promise.all([gateway.cpuMs(), rail.cpuMs(), router.cpuMs()])).reduce((sum, ms) => sum + ms, 0);
const measure = async ({ product, rates, cpu }: Variant, milliseconds: number) => {
  const { gateway, tokens } = product;
  const before = await cpuOf(product);
  const { latencies, wallMs } = await load.run({
    url: gateway.url,
    tokens,
    clients: CLIENTS,
    milliseconds,
    seed: ++seed,
  });
  rates.push((1000 * latencies.length) / wallMs);
  cpu.push(((await cpuOf(product)) - before) / latencies.length);
};
for (const variant of found) await measure(variant, WARM_UP_MS);
for (const { rates, cpu } of found) rates.length = cpu.length = 0;
for (let round = 1; round <= Number(values.rounds); round++) {
  // Each round starts with another variant, so that no variant always follows the same one.
  const order = found.map((_, index) => found[(index + round) % found.length]);
  for (const variant of order) if (variant !== undefined) await measure(variant, 1000 * Number(values.seconds));
  progress(
    `round ${round}: ${found.map(({ name, rates }) => `${name} ${Math.round(rates.at(-1) ?? 0)}/s`).join(", ")}`,
  );
}
const [off] = found;
if (off === undefined) throw new Error("There is nothing to compare.");
const rows = found.map(({ name, rates, cpu }) => [
  name,
  `${Math.round(median(rates)).toLocaleString("en-US")}/s`,
  (median(rates) / median(off.rates)).toFixed(2),
  `${median(cpu).toFixed(2)} ms`,
  (median(cpu) / median(off.cpu)).toFixed(2),
]);
process.stdout.write(
  `${machine()}, load ${loadavg()[0]?.toFixed(1)}, ${new Date().toISOString().slice(0, 10)}, ${CLIENTS} clients, ${exports} exports.\n\n${renderTable({ title: "Paid decisions with traces", heads: ["traces", "paid", "against off", "CPU per decision", "against off"], rows })}\n`,
);
collector.close();
