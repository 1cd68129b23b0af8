/** Messages of a worker, and the stored ones. */
import type { BusMessage } from "@triptych/contracts";
import { linesOf, messageOf, numbered, type EventFilter } from "../../src/domain/bus-lines.ts";
import type { BusFrame } from "../../src/domain/bus-repositories.ts";
import type { Repositories } from "../../src/domain/repositories.ts";
import type { BusItem } from "../../src/domain/records.ts";

export function busItem(wseq: number, more: Partial<BusItem> = {}): BusItem {
  const from = { role: "coder", agent: null, cli: "scripted", model: null } as const;
  return { at: 6, from, kind: "message", text: `word ${wseq}`, data: {}, round: 1, wseq, ...more };
}

export function frame(runId: string, items: readonly BusItem[], { owner = "acc_a", epoch = 1 } = {}): BusFrame {
  return { owner, runId, epoch, lines: linesOf(items) };
}

/** All stored messages of a run. */
export async function messagesOf(
  { bus }: Repositories,
  runId: string,
  filter: EventFilter = {},
): Promise<BusMessage[]> {
  const chunks = await bus.read(runId, { after: 0, limit: 10_000, ...filter });
  return chunks.flatMap((chunk) => Array.from(numbered(runId, chunk, { after: 0, filter }), messageOf));
}
