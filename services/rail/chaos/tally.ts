/** Counts and prints the results of a campaign. */
import type { LedgerCharge } from "../src/domain/unit-of-work.ts";
import type { Verdict } from "./judge.ts";
import type { Kill, PostKind, Try } from "./records.ts";

export interface Tally {
  kills: number;
  rounds: number;
  readonly killsOf: Map<string, number>;
  /** Number of requests by their end or response status. */
  readonly tries: Map<string, number>;
  readonly voided: Map<string, number>;
  billed: number;
  /** Number of free decisions of each killed gateway, and its limit according to L7. */
  readonly free: { readonly count: number; readonly bound: number }[];
  /** Milliseconds from a kill that affects all gateways to the first charged response after it. */
  readonly restarts: Map<PostKind, number[]>;
  restarted(kind: PostKind, ms: number): void;
  add(round: RoundFigures): void;
}

interface RoundFigures extends Pick<Verdict, "free"> {
  readonly kills: readonly Kill[];
  readonly tries: readonly Try[];
  readonly charges: readonly LedgerCharge[];
}

export function createTally(): Tally {
  const tally: Tally = {
    kills: 0,
    rounds: 0,
    billed: 0,
    killsOf: new Map(),
    tries: new Map(),
    voided: new Map(),
    free: [],
    restarts: new Map(),
    restarted: (kind, ms) => void tally.restarts.set(kind, [...(tally.restarts.get(kind) ?? []), ms]),
    add({ kills, tries, charges, free }) {
      tally.kills += kills.length;
      for (const { kind } of kills) count(tally.killsOf, kind);
      for (const { end, status, isReplay } of tries)
        count(tally.tries, end === "answered" ? `${status}${isReplay ? " again" : ""}` : end);
      for (const { state, voidReason } of charges)
        if (state === "voided") count(tally.voided, voidReason ?? "no reason");
        else tally.billed++;
      tally.free.push(...free);
    },
  };
  return tally;
}

export function progressOf({ kills, billed, voided, free, restarts }: Tally): string {
  const undone = [...voided.values()].reduce((sum, count) => sum + count, 0);
  return `${kills} kills, ${billed} billed, ${undone} voided, free at most ${mostFree(free)}, ${restartsOf(restarts)}`;
}

export function tableOf(tally: Tally): string {
  const rows: [string, string][] = [
    ["kills", `${tally.kills} in ${tally.rounds} rounds (${listed(tally.killsOf)})`],
    ["requests", listed(tally.tries)],
    ["billed", `${tally.billed}, each of them delivered`],
    ["voided", listed(tally.voided)],
    ["free decisions per killed gateway", `${mostFree(tally.free)} at most, ${meanFree(tally.free)} on average`],
    ...[...tally.restarts].map(([kind, ms]): [string, string] => [`${kind} killed, next 200`, spread(ms)]),
  ];
  return rows.map(([name, value]) => `${name.padEnd(24)}${value}`).join("\n");
}

function count(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1);
}

function listed(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([first], [other]) => (first < other ? -1 : 1));
  return sorted.map(([what, count]) => `${what}: ${count}`).join(", ");
}

function mostFree(free: Tally["free"]): string {
  const worst = free.reduce((most, item) => (item.count > most.count ? item : most), { count: 0, bound: 0 });
  return worst.count === 0 ? "0" : `${worst.count} (of ${worst.bound} allowed)`;
}

function meanFree(free: Tally["free"]): string {
  return (free.reduce((sum, { count }) => sum + count, 0) / Math.max(1, free.length)).toFixed(1);
}

function restartsOf(restarts: Tally["restarts"]): string {
  const parts = [...restarts].map(([kind, ms]) => `${kind} back in ${spread(ms)}`);
  return parts.length === 0 ? "only gateways were killed" : parts.join(", ");
}

function spread(restarts: readonly number[]): string {
  const sorted = restarts.toSorted((first, other) => first - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return `median ${median.toFixed(0)} ms, longest ${(sorted.at(-1) ?? 0).toFixed(0)} ms`;
}
