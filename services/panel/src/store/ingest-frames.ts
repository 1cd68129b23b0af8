/** A procedure of SQLite's writer thread: stores frames of many runs in one round trip. */
import type { OpenProcedures } from "@triptych/storage";
import type { BusFrame } from "../domain/bus-repositories.ts";
import { FENCED, appendFrame, toIngested, type BusHead, type FrameOutcome } from "./bus-frames.ts";

export interface FramesToIngest {
  readonly frames: readonly BusFrame[];
  readonly at: number;
}

export const procedures: OpenProcedures = (statements) => {
  const find = statements.prepare<BusHead & { readonly repo_id: string }>(
    "select repo_id, state, epoch, last_seq, said_epoch, said_upto from run where owner = ? and id = ?",
  );
  const raise = statements.prepare(
    "update run set last_seq = ?, said_epoch = ?, said_upto = ? where owner = ? and id = ?",
  );
  const keep = statements.prepare(
    "insert into bus_chunk (owner, run_id, first_seq, last_seq, epoch, at, kinds, roles, items) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  return {
    ingestFrames({ frames, at }: FramesToIngest): readonly FrameOutcome[] {
      return frames.map((frame) => {
        const { owner, runId } = frame;
        const head = find.first(owner, runId);
        const placed = appendFrame(head, frame, at);
        if (head === undefined || placed === null) return FENCED;
        const { chunk } = placed;
        if (chunk === null) return { ingested: toIngested(placed), repoId: null };
        const { first_seq, last_seq, epoch, kinds, roles, items } = chunk;
        raise.run(placed.last_seq, placed.said_epoch, placed.said_upto, owner, runId);
        keep.run(owner, runId, first_seq, last_seq, epoch, at, kinds, roles, items);
        return { ingested: toIngested(placed), repoId: head.repo_id };
      });
    },
  };
};
