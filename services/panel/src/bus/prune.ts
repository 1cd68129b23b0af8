/** What is older than the history of its account's plan goes from the buses; records of runs stay. */
import type { PanelStore } from "../domain/repositories.ts";
import { PLAN_TERMS } from "../domain/plans.ts";

const DAY_MS = 86_400_000;
const OWNERS_AT_ONCE = 500;
/** Few enough that no writer waits long behind it. */
const CHUNKS_AT_ONCE = 500;

/** All accounts once; answers how many chunks went. */
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
