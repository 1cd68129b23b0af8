/** A wish to cancel, inside a change: the run ends at once, or its connected worker is asked first, or it is too late. */
import { moveRun } from "./create-run.ts";
import type { Books } from "./repositories.ts";
import type { RunRecord } from "./records.ts";
import { answerCancel, type CancelAnswer } from "./run-states.ts";

interface Wish {
  readonly at: number;
  readonly message?: string;
}

interface Answered {
  readonly answer: CancelAnswer;
  readonly run: RunRecord;
}

export async function cancelRun(books: Books, run: RunRecord, { at, message = "" }: Wish): Promise<Answered> {
  const { workerId } = run;
  const workerIsConnected = workerId !== null && (await books.workers.connectionOf(workerId)) !== null;
  const answer = answerCancel(run.state, { workerIsConnected });
  if (answer === "asked") {
    await books.runs.askToCancel(run.id, at);
    return { answer, run: (await books.runs.find(run.id)) ?? run };
  }
  if (answer !== "at_once") return { answer, run };
  const result = { code: "cancelled", message } as const;
  return { answer, run: await moveRun(books, { ...run, cancelRequestedAt: at }, "cancelled", { at, result }) };
}
