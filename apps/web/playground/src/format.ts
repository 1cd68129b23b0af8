const MICRO = 1_000_000;
const euros = new Intl.NumberFormat("en", { style: "currency", currency: "EUR", minimumFractionDigits: 4 });
const counts = new Intl.NumberFormat("en");

export const euro = (micro: number) => euros.format(micro / MICRO);

export function decisions(count: number): string {
  return `${counts.format(count)} ${count === 1 ? "decision" : "decisions"}`;
}

export function percent(share: number): string {
  const percentage = share * 100;
  if (percentage > 0 && percentage < 0.1) return "< 0.1%";
  return `${percentage > 99.9 && percentage < 100 ? "> 99.9" : percentage.toFixed(1)}%`;
}
