import { candidateAfter, meaningOf } from "./states.ts";
import type { Repositories } from "../repositories.ts";
import type { RunRecord } from "../records.ts";

/** Only the last selected run changes it; an older one that ends late is ignored. */
export async function settleCandidate({ candidates }: Pick<Repositories, "candidates">, run: RunRecord): Promise<void> {
  const { candidateId } = run.spec.trigger;
  const event = meaningOf(run);
  if (candidateId === null || event === null) return;
  const candidate = await candidates.find(candidateId);
  if (candidate === null || candidate.state !== "selected" || candidate.runId !== run.id) return;
  const state = candidateAfter(candidate.state, event);
  if (state === null) return;
  const isDelivered = event === "delivered";
  await candidates.save({
    ...candidate,
    state,
    attempts: candidate.attempts + (event === "came_back" ? 1 : 0),
    outcome: event === "came_back" ? null : isDelivered ? "delivered" : "already_fixed",
    was: { ...candidate.was, delivered: candidate.was.delivered || isDelivered },
  });
}
