/** The uploaded bundle is checked before the run may move to pushing. The push itself is an effect of the state. */
import type { ResultCode } from "@triptych/contracts";
import type { RunFacts, RunRecord } from "./records.ts";

export interface Delivery {
  /** Checks the uploaded bundle of this run's epoch. Rejects only on an internal error. */
  judge(owner: string, run: RunRecord, report: HandOver): Promise<Judgement>;
}

export interface HandOver {
  readonly headSha: string;
}

export type Judgement =
  | {
      readonly kind: "accepted";
      readonly facts: Pick<RunFacts, "headSha" | "bundle" | "diff" | "summaries" | "warnings">;
    }
  | { readonly kind: "refused"; readonly code: ResultCode; readonly message: string }
  /** The repository is unreachable and its mirror is insufficient; retry later. */
  | { readonly kind: "unreachable"; readonly message: string };
