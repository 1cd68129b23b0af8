/** Prunes bus messages older than the history of the account's plan; runs stay. */
import type { PanelStore } from "../domain/repositories.ts";
import { PLAN_TERMS } from "../domain/plans.ts";

const DAY_MS = 86_400_000;
const OWNERS_AT_ONCE = 500;
/** Small, so that no writer waits long. */
const CHUNKS_AT_ONCE = 500;

/** One pass over all accounts; returns the number of removed chunks. */
export async function pruneBuses({ buses }: Pick<PanelStore, "buses">, now: number): Promise<number> {
  let pruned = 0;
  for (let above: string | undefined = ""; above !== undefined;) {
    const owners = await buses.owners(above, OWNERS_AT_ONCE);
    for (const { owner, plan } of owners) {
      const aged = { before: now - PLAN_TERMS[plan].retentionDays * DAY_MS, most: CHUNKS_AT_ONCE };
      let looked = aged.most;
      while (looked === aged.most) pruned += looked = await buses.prune(owner, aged);
    }
    above = owners.at(OWNERS_AT_ONCE - 1)?.owner;
  }
  return pruned;
}
