/** The tables of the migrations, as Kysely sees them. */
import type {
  IsolationLevel,
  MemoryKind,
  MemoryStatus,
  PlanId,
  RepoProvider,
  RepoStatus,
  RunKind,
  RunState,
} from "@triptych/contracts";
import type { Kysely } from "@triptych/storage";
import type { MemoryRecord, RepoRecord } from "../domain/records.ts";

export interface AccountRow {
  owner: string;
  email: string;
  password: string;
  plan: PlanId;
  status: "active" | "suspended";
  created_at: number;
  revision: number;
}

export interface RepoRow {
  owner: string;
  id: string;
  url: string;
  canonical: string;
  name: string;
  provider: RepoProvider;
  status: RepoStatus;
  status_reason: string | null;
  default_branch: string | null;
  settings: string;
  credential_kind: RepoRecord["credentialKind"];
  sealed_credential: string | null;
  revision: number;
  created_at: number;
  updated_at: number;
  removed_at: number | null;
}

export interface RunRow {
  owner: string;
  id: string;
  repo_id: string;
  kind: RunKind;
  state: RunState;
  focus: string;
  priority: number;
  attempt: number;
  epoch: number;
  is_parallel: number;
  wants_pr: number;
  revision: number;
  queued_at: number;
  not_before: number;
  leased_at: number | null;
  started_at: number | null;
  pushed_at: number | null;
  ended_at: number | null;
  lease_until: number | null;
  worker_id: string | null;
  cancel_requested_at: number | null;
  last_seq: number;
  run_order: string;
  facts: string;
  result: string | null;
}

export interface MemoryRow {
  owner: string;
  id: string;
  repo_id: string;
  text: string;
  normalised: string;
  kind: MemoryKind;
  source: MemoryRecord["source"];
  status: MemoryStatus;
  pinned: number;
  scope: string | null;
  hits: number;
  last_used_at: number | null;
  created_at: number;
}

export interface TokenRow {
  owner: string;
  id: string;
  hash: string;
  name: string;
  scopes: string;
  created_at: number;
  expires_at: number | null;
}

export interface WorkerRow {
  owner: string;
  id: string;
  name: string;
  agents: string;
  slots: number;
  isolation: IsolationLevel;
  os: string;
  version: string;
  enabled: number;
  embedded: number;
  created_at: number;
  seen_at: number;
  rtt_ms: number | null;
  outbox_pending: number;
  disk_free_mb: number | null;
}

export interface ConnectionRow {
  owner: string;
  worker_id: string;
  id: string;
  node: string;
  process: string | null;
  key_generation: number;
  opened_at: number;
}

export interface ProbeRow {
  owner: string;
  worker_id: string;
  cli: string;
  model: string;
  ok: number;
  latency_ms: number;
  error: string | null;
  checked_at: number;
}

export interface PanelTables {
  worker: WorkerRow;
  connection: ConnectionRow;
  node: { id: string; beat_at: number };
  probe: ProbeRow;
  report: { owner: string; run_id: string; epoch: number; mid: string };
  errand: { owner: string; id: string; worker_id: string; asked: string; answer: string | null; at: number };
  account: AccountRow;
  license_key: { owner: string; hash: string; sealed: string; generation: number; rotated_at: number | null };
  session: { owner: string; hash: string; created_at: number; seen_at: number };
  api_token: TokenRow;
  repo: RepoRow;
  run: RunRow;
  run_transition: {
    owner: string;
    run_id: string;
    revision: number;
    event: string;
    from_state: RunState | null;
    to_state: RunState;
    at: number;
  };
  bus_event: {
    owner: string;
    run_id: string;
    seq: number;
    epoch: number;
    wseq: number | null;
    at: number;
    kind: string;
    role: string;
    item: string;
  };
  outbox: { owner: string; run_id: string; revision: number; at: number };
  memory: MemoryRow;
  idempotency: { owner: string; key: string; payload: string; answer: string; expires_at: number };
  audit: { owner: string; id: string; what: string; at: number };
}

/** The database, or a transaction on it. */
export type Db = Kysely<PanelTables>;
