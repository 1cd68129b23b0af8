/** Tables of figures that fit a terminal. */
import { renderTable } from "@triptych/terminal";
import type { Figures } from "./figures.ts";
import type { Finding } from "./compare.ts";

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function routeTable({ routes }: Figures, width: number): string {
  const rows = routes.map(({ route, rows, answered, wrong }) => [
    printable(route),
    rows,
    answered,
    wrong,
    answered === 0 ? "-" : percent(wrong / answered),
  ]);
  return renderTable({ heads: ["route", "rows", "answered", "wrong", "error"], rows, shrink: ["route"] }, width);
}

export function findingTable(findings: readonly Finding[], width: number): string {
  const rows = findings.map(({ measure, before, now, limit, holds }) => [
    measure,
    percent(before),
    percent(now),
    `${measure === "coverage" ? "at least" : "at most"} ${percent(Math.min(1, Math.max(0, limit)))}`,
    holds ? "holds" : "broken",
  ]);
  return renderTable({ heads: ["measure", "lock", "now", "limit", "result"], rows }, width);
}

/** Removes control characters, because labels come from files that others wrote. */
function printable(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}
