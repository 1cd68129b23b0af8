/** Requests cancellation inside a transaction. The run ends immediately, its connected worker is asked to stop, or it is too late. */
import { transitionRun } from "./create-run.ts";
import type { Repositories } from "./repositories.ts";
import type { RunRecord } from "./records.ts";
import { cancelOutcome, type CancelAnswer } from "./run-states.ts";

interface CancelInput {
  readonly at: number;
  readonly message?: string;
}

interface Answered {
  readonly answer: CancelAnswer;
  readonly run: RunRecord;
}

export async function cancelRun(
  repositories: Repositories,
  run: RunRecord,
  { at, message = "" }: CancelInput,
): Promise<Answered> {
  const { workerId } = run;
  const workerIsConnected = workerId !== null && (await repositories.workers.connectionOf(workerId)) !== null;
  const answer = cancelOutcome(run.state, { workerIsConnected });
  if (answer === "requested") {
    await repositories.runs.askToCancel(run.id, at);
    return { answer, run: (await repositories.runs.find(run.id)) ?? run };
  }
  if (answer !== "at_once") return { answer, run };
  const result = { code: "cancelled", message } as const;
  return {
    answer,
    run: await transitionRun(repositories, { ...run, cancelRequestedAt: at }, "cancelled", { at, result }),
  };
}
