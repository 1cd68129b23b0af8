/** Deletes expired data in batches, so that no request waits for a sweep. Several nodes may sweep concurrently. */
import { transitionRun } from "./create-run.ts";
import type { PanelStore } from "./repositories.ts";

const DAY_MS = 86_400_000;
/** How long the history of a removed repo stays readable. */
const REMOVED_RETENTION_MS = 30 * DAY_MS;
const SESSION_MS = { absolute: 30 * DAY_MS, idle: 7 * DAY_MS };
/** Long enough that no node can fire the same time again: schedules only advance. */
const FIRES_RETENTION_MS = 30 * DAY_MS;
const BATCH_SIZE = 500;
const REPOS_PER_BATCH = 5;

export async function purgeExpired({ expiredData }: Pick<PanelStore, "expiredData">, now: number): Promise<void> {
  await expiredData.removeAnswers(now, BATCH_SIZE);
  await expiredData.removeLinks(now, BATCH_SIZE);
  const before = { createdAt: now - SESSION_MS.absolute, seenAt: now - SESSION_MS.idle };
  await expiredData.removeSessions(before, BATCH_SIZE);
  await expiredData.removeFires(now - FIRES_RETENTION_MS, BATCH_SIZE);
  await expiredData.forgetRepos(now - REMOVED_RETENTION_MS, REPOS_PER_BATCH);
}

const WAITED_MS = DAY_MS;

/** Ends runs that were queued for a day. A run leased between read and transaction stays. */
export async function expireAgedRuns(store: PanelStore, now: number): Promise<void> {
  for (const { owner, id } of await store.system.agedRuns(now - WAITED_MS, BATCH_SIZE))
    await store.change(owner, async (repositories) => {
      const run = await repositories.runs.find(id);
      if (run?.state !== "queued") return;
      const result = { code: "expired", message: "No worker took it within 24 hours." } as const;
      await transitionRun(repositories, run, "aged_out", { at: now, result });
    });
}
