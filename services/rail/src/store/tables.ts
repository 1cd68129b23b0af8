import type {
  AutoTopupStop,
  ChargeState,
  EntryKind,
  OperatorActionName,
  ProviderName,
  StarterState,
  TopupState,
  VoidReason,
  WalletState,
} from "@triptych/contracts";
import type { StoredActionName } from "../domain/operator-log.ts";
import type { StoreMode } from "../domain/ledger.ts";
import type { TopupEvent } from "../domain/topup-state.ts";

export interface RailTables {
  wallet: WalletRow;
  wallet_owner: WalletOwnerRow;
  wallet_token: WalletTokenRow;
  sub_token: SubTokenRow;
  token_budget: TokenBudgetRow;
  account: AccountRow;
  account_total: AccountRow;
  entry: EntryRow;
  transfer: TransferRow;
  instance: InstanceRow;
  charge: ChargeRow;
  forestalled: { instance: string; boot: string; seq: number };
  response: { charge_id: string; sealed: string; created_at: number };
  topup: TopupRow;
  auto_topup: AutoTopupRow;
  provider_event: { topup_id: string; event: string; kind: TopupEvent["kind"]; received_at: number };
  entitlement: EntitlementRow;
  signing_key: SigningKeyRow;
  starter_grant: StarterGrantRow;
  installation: { names_sealed: string | null; single: 1; mode: StoreMode | null };
  clock: { single: 1; known_at: number | null; confirmed_lag_ms: number };
  once: { name: string; payload: string; started_at: number; expires_at: number; answer: string | null };
  operator_act: OperatorActRow;
  operator_log: OperatorLogRow;
}

export interface OperatorActRow {
  id: string;
  act: StoredActionName;
  wallet_id: string | null;
  subject: string | null;
  operator: string;
  reason: string;
  at: number;
}

/** A view of the actions and movements by operators. */
export interface OperatorLogRow extends Omit<OperatorActRow, "act"> {
  act: OperatorActionName;
  amount_micro: number | null;
}

export interface WalletTokenRow {
  hash: string;
  wallet_id: string;
  created_at: number;
  valid_until: number | null;
  token_id: string | null;
}

export interface SpendRow {
  day: number;
  day_micro: number;
  day_before_micro: number;
  month: number;
  month_micro: number;
  month_before_micro: number;
  spent_micro: number;
}

interface CapsRow {
  per_charge_micro: number | null;
  per_day_micro: number | null;
  per_month_micro: number | null;
}

/** The part of a sub-token that a charge reads and changes. */
export interface TokenBudgetRow extends CapsRow, SpendRow {
  token_id: string;
  /** JSON list; null for all operations. */
  ops: string | null;
  total_micro: number | null;
}

/** The part of a sub-token that charges do not read. */
export interface SubTokenRow {
  id: string;
  wallet_id: string;
  hash: string;
  hint: string;
  name: string;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
}

/** The part of a sub-token that the rules need. */
export type CappedRow = TokenBudgetRow & Pick<SubTokenRow, "wallet_id" | "hash">;

export interface WalletRow extends CapsRow, SpendRow {
  id: string;
  status: WalletState;
  paid_micro: number;
  promo_micro: number;
  promo_expires_at: number | null;
  seq: number;
  head: string;
}

export interface WalletOwnerRow {
  wallet_id: string;
  label: string | null;
  email_sealed: Uint8Array | null;
  email_lookup: string | null;
  token_hint: string;
  low_balance_micro: number;
  created_at: number;
  /** JSON list of percentages. */
  alerts: string;
}

export interface AccountRow {
  id: string;
  total_micro: number;
}

export interface EntryRow {
  wallet_id: string;
  seq: number;
  id: string;
  kind: EntryKind;
  amount_micro: number;
  balance_after_micro: number;
  charge_id: string | null;
  topup_id: string | null;
  reverses: string | null;
  op: string | null;
  created_at: number;
  prev: string;
  token_id: string | null;
}

export interface TransferRow {
  id: string;
  entry_id: string;
  debit: string;
  credit: string;
  amount_micro: number;
  reverses: string | null;
  at: number;
  operator: string | null;
  reason: string | null;
}

export interface InstanceRow {
  instance: string;
  boot: string;
  state: "live" | "fenced";
  lease_until: number;
  through: number;
}

export interface ChargeRow {
  id: string;
  instance: string;
  boot: string;
  seq: number;
  wallet_id: string;
  state: ChargeState;
  op: string;
  qty: number;
  price_id: string;
  amount_micro: number;
  promo_micro: number;
  revenue: string;
  key_hash: string | null;
  idk: string | null;
  req: string;
  res: string;
  issuer: string;
  kid: string;
  entry_id: string;
  wallet_seq: number;
  balance_after_micro: number;
  prev: string;
  created_at: number;
  delivered_at: number | null;
  voided_at: number | null;
  void_reason: VoidReason | null;
  token_id: string | null;
  spendable_micro: number | null;
}

export interface TopupRow {
  id: string;
  wallet_id: string;
  provider: ProviderName;
  session_ref: string | null;
  state: TopupState;
  amount_micro: number;
  checkout_url: string | null;
  created_at: number;
  expires_at: number | null;
  entry_id: string | null;
  check_at: number | null;
  checks: number;
  payment_ref: string | null;
}

export interface AutoTopupRow {
  wallet_id: string;
  threshold_micro: number;
  amount_micro: number;
  max_per_month: number;
  payment_ref: string | null;
  stopped_at: number | null;
  stop_reason: AutoTopupStop | null;
}

export interface EntitlementRow {
  id: string;
  purchase_id: string;
  wallet_id: string;
  sku: string;
  ref: string;
  price_id: string;
  amount_micro: number;
  issuer: string;
  kid: string;
  wallet_seq: number;
  balance_after_micro: number;
  prev: string;
  created_at: number;
}

export interface SigningKeyRow {
  kid: string;
  x: string;
  sealed: string;
  created_at: number;
  active_from: number;
  retired_at: number | null;
  not_after: number | null;
}

export interface StarterGrantRow {
  wallet_id: string;
  state: StarterState;
  email_lookup: string;
  network: string;
  amount_micro: number;
  at: number;
  /** When the remaining credit expires; null once it was taken back. */
  ends_at: number | null;
}
