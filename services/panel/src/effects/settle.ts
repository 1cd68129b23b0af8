/** What came of an effect, in one commit with what it means for its run. Who has lost the lease writes nothing. */
import { TRIES_MAX, waitAfter, type EffectRecord, type EffectRefusal } from "../domain/effects.ts";
import { moveRun } from "../domain/make-run.ts";
import type { Books } from "../domain/panel-store.ts";

interface Settling {
  readonly effect: EffectRecord;
  readonly refusal: EffectRefusal | null;
  readonly at: number;
}

/** Whether the effect is still ours to settle. */
export async function isOurs({ effects }: Books, { runId, kind, leasedBy }: EffectRecord): Promise<boolean> {
  return (await effects.find(runId, kind))?.leasedBy === leasedBy;
}

export async function settlePush(books: Books, { effect, refusal, at }: Settling): Promise<void> {
  const run = await books.runs.find(effect.runId);
  if (run === null || !(await isOurs(books, effect))) return;
  const released = { ...effect, leasedBy: null, leaseUntil: 0, outcome: { at, refusal } };
  if (run.state !== "pushing") return books.effects.save({ ...released, state: "done" });
  if (refusal === null) {
    await moveRun(books, run, "push_confirmed", { at, pushedAt: at });
    return books.effects.save({ ...released, state: "done" });
  }
  if (!refusal.isFinal && effect.attempts < TRIES_MAX)
    return books.effects.save({ ...released, nextAt: at + waitAfter(effect.attempts) });
  const code = refusal.code === "branch_moved" ? "branch_moved" : "push_refused";
  await moveRun(books, run, "push_refused", { at, result: { code, message: refusal.detail } });
  return books.effects.save({ ...released, state: "refused" });
}
