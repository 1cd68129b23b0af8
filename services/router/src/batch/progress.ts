/** On a terminal, a progress line that updates in place; elsewhere nothing. */
import type { Output } from "@triptych/terminal";
import type { BatchSummary } from "./run-batch.ts";

export interface Progress {
  show(summary: BatchSummary): void;
  /** Removes the line. */
  clear(): void;
}

const INTERVAL_MS = 100;

export function createProgress(output: Output, total: number, now: () => number): Progress {
  if (output.isTTY !== true) return { show: () => undefined, clear: () => undefined };
  const began = now();
  let lastUpdate = -Infinity;
  return {
    show({ lines, earlier, costMicro }) {
      const at = now();
      if (at - lastUpdate < INTERVAL_MS && lines < total) return;
      lastUpdate = at;
      const seconds = Math.max(0.001, (at - began) / 1000);
      const perSecond = (lines - earlier) / seconds;
      const left = perSecond > 0 ? `, ${Math.ceil((total - lines) / perSecond)} s left` : "";
      const cost = costMicro > 0 ? `, ${euros(costMicro)}` : "";
      output.write(`\r\u001B[K${lines}/${total} lines, ${perSecond.toFixed(0)} per second${cost}${left}`);
    },
    clear: () => void output.write("\r\u001B[K"),
  };
}

export function euros(micro: number): string {
  return `${(micro / 1_000_000).toFixed(4)} €`;
}
