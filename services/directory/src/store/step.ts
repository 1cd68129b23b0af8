/** A staging works in steps: one bounded transaction each, and each one checks that the turn is still its own. */
import type { Transaction } from "@triptych/storage";
import type { DirectoryTables } from "./tables.ts";

/** Rows that one step touches: some tens of milliseconds, so that usage records of a running server are not held up. */
export const STEP = 2000;

/** Runs one bounded step of the staging, or throws `PublicationLost`. */
export type Step = <T>(run: (tx: Transaction<DirectoryTables>) => Promise<T>) => Promise<T>;

/** Repeats a statement that touches at most `STEP` rows until it finds fewer. */
export async function everyRow(
  step: Step,
  run: (tx: Transaction<DirectoryTables>) => Promise<{ readonly numAffectedRows?: bigint }>,
): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await step(run);
    if (numAffectedRows < BigInt(STEP)) return;
  }
}
