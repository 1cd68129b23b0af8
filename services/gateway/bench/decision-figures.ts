/**
 * Measures paid decisions with increasing numbers of clients, next to the same decisions on the router alone: latency,
 * throughput, time per part and CPU per process. Stores, client counts and services alternate.
 */
import { measureFsync } from "../../rail/bench/core-figures.ts";
import { median, quantile } from "@triptych/util";
import { ms, progress, type Figures, type Row } from "../../../packages/decisions/bench/report.ts";
import type { Product } from "./open-product.ts";
import type { LoadResult } from "../../../packages/decisions/bench/load-process.ts";
import { startLoad } from "../../../packages/decisions/bench/start-load.ts";

export interface DecisionPlan {
  readonly folder: string;
  readonly stores: readonly { readonly name: string; readonly product: Product }[];
  readonly rounds: number;
  /** Per metric and round. */
  readonly milliseconds: number;
}

const CLIENTS = [1, 8, 32, 128] as const;
const PROCESSES = ["gateway", "rail", "router", "load"] as const;
const PARTS = ["wallet", "router", "decide", "charge", "total"] as const;
const P50_BAR_MS = 3;
const P99_BAR_MS = 15;
const RATE_BAR = 3000;
/** About 10 000 decisions: before that, JIT compilation in three processes takes a third of the CPU. */
const WARM_UP = { clients: 32, milliseconds: 6000 };

interface Stretch {
  readonly p50: number;
  readonly p99: number;
  readonly rate: number;
  /** Share of rejected requests. */
  readonly refused: number;
}

interface Measured {
  readonly paid: Stretch;
  readonly bare: Stretch;
  /** Medians of the parts of a paid decision, in milliseconds. */
  readonly parts: Readonly<Record<string, number>>;
  /** CPU time of each process per paid decision, in milliseconds. */
  readonly cpu: Readonly<Record<(typeof PROCESSES)[number], number>>;
}

export async function measureDecisions({ folder, stores, rounds, milliseconds }: DecisionPlan): Promise<Figures> {
  await using load = startLoad();
  let seed = 0;
  const fsyncs: number[] = [];
  const found = stores.map((store) => ({
    ...store,
    at: new Map(CLIENTS.map((clients) => [clients, [] as Measured[]])),
  }));
  for (const { product } of found) await measure(product, WARM_UP);
  for (let round = 1; round <= rounds; round++) {
    fsyncs.push(measureFsync(folder, milliseconds));
    for (const clients of CLIENTS)
      for (const { name, product, at } of found) {
        const measured = await measure(product, { clients, milliseconds });
        at.get(clients)?.push(measured);
        const { p50, p99, rate } = measured.paid;
        progress(`${name}, ${clients} clients, round ${round}: p50 ${ms(p50)}, p99 ${ms(p99)}, ${perSecond(rate)}`);
      }
  }
  const fsync = median(fsyncs);
  const summed = found.map(({ name, at }) => ({
    name,
    at: [...at].map(([clients, runs]) => ({ clients, ...summary(runs) })),
  }));
  return { goals: summed.flatMap((store) => goalsOf(store, fsync)), tables: summed.map(tableOf) };

  async function measure(
    { gateway, rail, router, tokens }: Product,
    stretch: { readonly clients: number; readonly milliseconds: number },
  ): Promise<Measured> {
    const bare = await load.run({ ...stretch, url: router.url, tokens: [], seed: ++seed });
    const used = () => Promise.all([gateway.cpuMs(), rail.cpuMs(), router.cpuMs()]);
    const before = await used();
    const paid = await load.run({ ...stretch, url: gateway.url, tokens, seed: ++seed });
    const after = await used();
    const [ofGateway, ofRail, ofRouter] = after.map((ms, index) => (ms - (before[index] ?? 0)) / paid.latencies.length);
    return {
      paid: stretchOf(paid),
      bare: stretchOf(bare),
      parts: Object.fromEntries(PARTS.map((part) => [part, median(paid.parts[part] ?? [])])),
      cpu: {
        gateway: ofGateway ?? 0,
        rail: ofRail ?? 0,
        router: ofRouter ?? 0,
        load: paid.cpuMs / paid.latencies.length,
      },
    };
  }
}

function stretchOf({ latencies, refused, wallMs }: Pick<LoadResult, "latencies" | "refused" | "wallMs">): Stretch {
  return {
    p50: median(latencies),
    p99: quantile(latencies, 0.99),
    rate: (1000 * latencies.length) / wallMs,
    refused: refused / (refused + latencies.length),
  };
}

function summary(runs: readonly Measured[]) {
  const of = (figure: (run: Measured) => number) => median(runs.map(figure));
  const stretch = (which: (run: Measured) => Stretch): Stretch => ({
    p50: of((run) => which(run).p50),
    p99: of((run) => which(run).p99),
    rate: of((run) => which(run).rate),
    refused: of((run) => which(run).refused),
  });
  return {
    paid: stretch(({ paid }) => paid),
    bare: stretch(({ bare }) => bare),
    parts: PARTS.map((part) => [part, of(({ parts }) => parts[part] ?? 0)] as const),
    cpu: PROCESSES.map((name) => [name, of(({ cpu }) => cpu[name])] as const),
  };
}

interface Summed {
  readonly name: string;
  readonly at: readonly (ReturnType<typeof summary> & { readonly clients: number })[];
}

function goalsOf({ name, at }: Summed, fsync: number): Row[] {
  const alone = at.find(({ clients }) => clients === 1);
  const best = at.toSorted((left, other) => other.paid.rate - left.paid.rate).at(0);
  if (alone === undefined || best === undefined) return [];
  const { p50, p99 } = alone.paid;
  return [
    {
      goal: `${name}: paid decision, 1 client`,
      bar: "p50 3 ms, p99 15 ms, + 1 fsync",
      measured: `p50 ${ms(p50)}, p99 ${ms(p99)}; fsync ${ms(fsync)}`,
      met: p50 <= P50_BAR_MS + fsync && p99 <= P99_BAR_MS + fsync,
    },
    {
      goal: `${name}: paid decisions per second`,
      bar: perSecond(RATE_BAR),
      measured: `${perSecond(best.paid.rate)} with ${best.clients} clients; router alone ${perSecond(best.bare.rate)}`,
      met: best.paid.rate >= RATE_BAR,
    },
  ];
}

function tableOf({ name, at }: Summed) {
  return {
    title: `Paid decisions, ${name}`,
    heads: [
      "clients",
      "p50",
      "p99",
      "paid",
      "router alone p50, p99",
      "alone",
      "p50 ratio",
      "rate ratio",
      "parts, p50",
      "CPU per decision",
    ],
    rows: at.map(({ clients, paid, bare, parts, cpu }) => [
      String(clients),
      ms(paid.p50),
      ms(paid.p99),
      perSecond(paid.rate) + (paid.refused > 0 ? `, ${(100 * paid.refused).toFixed(1)} % refused` : ""),
      `${ms(bare.p50)}, ${ms(bare.p99)}`,
      perSecond(bare.rate),
      `${(paid.p50 / bare.p50).toFixed(1)} x`,
      (paid.rate / bare.rate).toFixed(2),
      parts.map(([part, value]) => `${part} ${value.toFixed(2)}`).join(", "),
      cpu.map(([process, value]) => `${process} ${ms(value)}`).join(", "),
    ]),
  };
}

function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString("en-US")}/s`;
}
