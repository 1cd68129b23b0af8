/** The operator log: who did what, and why. */
import type { OperatorActionName } from "@triptych/contracts";
import type { Operated } from "./movements.ts";

/** Actions that move no money, so they have no entry in the ledger. */
export type StoredActionName = Extract<
  OperatorActionName,
  "freeze" | "unfreeze" | "rotate_keys" | "revoke_key" | "confirm_clock"
>;

/** Operator, reason and time of an action; committed together with its effect. */
export interface Acting extends Operated {
  readonly id: string;
  readonly at: number;
}

export interface OperatorAction extends Acting {
  readonly action: OperatorActionName;
  readonly walletId: string | null;
  /** The charge, top-up or signing key. */
  readonly subject: string | null;
  /** Change of the balance; null if no money moved. */
  readonly amountMicro: number | null;
}

export interface ActionPosition {
  readonly at: number;
  readonly id: string;
}

export interface ActionFilter {
  readonly actions: readonly OperatorActionName[];
  readonly walletId: string | null;
  readonly operator: string | null;
  /** Actions before this one; null starts at the newest. */
  readonly before: ActionPosition | null;
  readonly limit: number;
}

export interface OperatorLog {
  /** Newest first. */
  operatorActions(filter: ActionFilter): Promise<readonly OperatorAction[]>;
}
