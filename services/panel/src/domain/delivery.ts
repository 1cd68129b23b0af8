/**
 * Where the code of a run enters and leaves the panel, as the worker channel sees it: the bundle that a worker uploaded is judged
 * before the run may go on to pushing. What is pushed afterwards is an effect of the state, not of the channel.
 */
import type { ResultCode } from "@triptych/contracts";
import type { RunFacts, RunRecord } from "./records.ts";

export interface Delivery {
  /** Reads the bundle that was uploaded for the epoch of this run. Rejects only for a fault of our own. */
  judge(owner: string, run: RunRecord, report: HandOver): Promise<Judgement>;
}

/** What the worker says of its work when it asks to push. */
export interface HandOver {
  readonly headSha: string;
}

export type Judgement =
  | {
      readonly kind: "accepted";
      readonly facts: Pick<RunFacts, "headSha" | "bundle" | "diff" | "summaries" | "warnings">;
    }
  | { readonly kind: "refused"; readonly code: ResultCode; readonly message: string }
  /** Its repository cannot be reached, and what is known of it here is not enough: later it may be. */
  | { readonly kind: "unreachable"; readonly message: string };
