/** The plain way of what workers say into the store: one change of the account for each frame. */
import type { PanelStore } from "../domain/panel-store.ts";
import type { Ingest } from "./room.ts";

export function ingestInto(store: Pick<PanelStore, "change">): Ingest {
  return async (owner, runId, epoch, items) => {
    await store.change(owner, ({ bus }) => bus.append(runId, epoch, items));
    return Math.max(0, ...items.map(({ wseq }) => wseq ?? 0));
  };
}
