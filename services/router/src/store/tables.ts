import type { HeadState } from "@triptych/contracts";
import type { Transaction } from "@triptych/storage";
import type { HeadReason } from "../domain/heads/head.ts";

export interface RouterTables {
  head_owner: { owner: string; revision: number };
  head_name: { owner: string; name: string; last_version: number };
  head: HeadRow;
  head_once: { owner: string; operation: string; key: string; payload: string; result: string; expires_at: number };
  feedback: FeedbackTableRow;
  /** PostgreSQL only. */
  head_file: { head_id: string; sha256: string; bytes: Uint8Array };
}

export interface HeadRow {
  owner: string;
  id: string;
  name: string;
  version: number;
  state: HeadState;
  reason: HeadReason | null;
  created_at: number;
  trained_at: number | null;
  training_ms: number | null;
  settings: string;
  routes: string;
  trainer: string;
  lease_until: number;
  sha256: string | null;
  made: string | null;
  shadow_n: number;
  shadow_agreed: number;
  shadow_labelled: number;
  shadow_live_correct: number;
  shadow_correct: number;
}

export interface FeedbackTableRow {
  owner: string;
  about: string;
  id: string;
  at: number;
  state: string | null;
  context: string;
  route: string | null;
  decided: string;
  confidence: number;
  is_right: 0 | 1;
  request_id: string | null;
}

export type Tx = Transaction<RouterTables>;
