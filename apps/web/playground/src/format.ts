import { createFormat } from "../../shared/format.ts";

const format = createFormat("en");

export const euro = format.columnEuro;

export function decisions(count: number): string {
  return `${format.count(count)} ${count === 1 ? "decision" : "decisions"}`;
}

export function percent(share: number): string {
  const percentage = share * 100;
  if (percentage > 0 && percentage < 0.1) return "< 0.1%";
  return `${percentage > 99.9 && percentage < 100 ? "> 99.9" : percentage.toFixed(1)}%`;
}
