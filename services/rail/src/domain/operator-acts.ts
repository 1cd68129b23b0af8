/** The log of operators: who did what, and why. */
import type { OperatorActName } from "@triptych/contracts";
import type { Operated } from "./movements.ts";

/** Acts that move no money, and so have no entry in the ledger. */
export type StoredActName = Extract<
  OperatorActName,
  "freeze" | "unfreeze" | "rotate_keys" | "revoke_key" | "confirm_clock"
>;

/** Who acts, and when; committed together with the effect. */
export interface Acting extends Operated {
  readonly id: string;
  readonly at: number;
}

export interface OperatorAct extends Acting {
  readonly act: OperatorActName;
  readonly walletId: string | null;
  /** The charge, top-up or signing key. */
  readonly subject: string | null;
  /** Change of the balance; null if no money moved. */
  readonly amountMicro: number | null;
}

export interface ActPosition {
  readonly at: number;
  readonly id: string;
}

export interface ActFilter {
  readonly acts: readonly OperatorActName[];
  readonly walletId: string | null;
  readonly operator: string | null;
  /** Acts before this one; null starts at the newest. */
  readonly before: ActPosition | null;
  readonly limit: number;
}

export interface OperatorLog {
  /** Newest first. */
  operatorActs(filter: ActFilter): Promise<readonly OperatorAct[]>;
}
