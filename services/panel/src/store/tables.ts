import type {
  CandidateCategory,
  CandidateState,
  CheckState,
  FireResult,
  IsolationLevel,
  MemoryKind,
  MemoryStatus,
  PlanId,
  RepoProvider,
  RepoStatus,
  RunKind,
  RunState,
} from "@triptych/contracts";
import type { Generated, Kysely } from "@triptych/storage";
import type { EffectKind, EffectRecord } from "../domain/effects.ts";
import type { PrWatch } from "../domain/follow-ups.ts";
import type { CandidateRecord, MemoryRecord, RepoRecord } from "../domain/records.ts";

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
  /** JSON of `StoredEnvironment`. */
  environment: string;
  /** JSON of `AiPolicyRecord`. */
  ai_policy: string | null;
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
  needs_attention: number;
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
  candidate_id: string | null;
  pr_outcome: "merged" | "closed" | null;
  pr_ended_at: number | null;
  cost_micro: number | null;
  run_order: string;
  facts: string;
  result: string | null;
}

export interface BusChunkRow {
  owner: string;
  run_id: string;
  first_seq: number;
  last_seq: number;
  epoch: number;
  at: number;
  kinds: number;
  roles: number;
  items: string;
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

export interface CandidateRow {
  owner: string;
  id: string;
  repo_id: string;
  explore_run_id: string;
  state: CandidateState;
  fingerprint: string;
  category: CandidateCategory;
  score: number;
  proposal: string;
  base_sha: string | null;
  stale: number;
  attempts: number;
  run_id: string | null;
  outcome: CandidateRecord["outcome"];
  reject: string | null;
  was_selected: number;
  was_delivered: number;
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
  key_generation: number | null;
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

export interface EffectRow {
  owner: string;
  run_id: string;
  kind: EffectKind;
  repo_id: string;
  state: EffectRecord["state"];
  attempts: number;
  next_at: number;
  leased_by: string | null;
  lease_until: number;
  patch_id: string | null;
  outcome: string | null;
}

export interface PrWatchRow {
  owner: string;
  run_id: string;
  repo_id: string;
  pr_number: number;
  state: PrWatch["state"];
  next_at: number;
  leased_by: string | null;
  lease_until: number;
  active_run_id: string | null;
  /** JSON of `PrSeen`. */
  seen: string | null;
}

export interface ContactRow {
  owner: string;
  repo_id: string;
  next_at: number | null;
  checked_at: number | null;
  can_push: number | null;
  can_open_pr: number | null;
  detects_verify: number;
  detects_setup: number;
  detected: string;
  hosts: string;
}

export interface CheckRow {
  owner: string;
  repo_id: string;
  id: string;
  state: CheckState;
  attempts: number;
  worker_id: string | null;
  deadline: number | null;
  message: string | null;
  setup: string | null;
  verify: string | null;
  requested_at: number;
  checked_at: number | null;
}

export interface ScheduleRow {
  owner: string;
  repo_id: string;
  kind: RunKind;
  scheduled_for: number;
  due_at: number;
  held_until: number;
}

export interface FireRow {
  owner: string;
  id: string;
  repo_id: string;
  kind: RunKind;
  scheduled_for: number;
  at: number;
  result: FireResult;
  run_id: string | null;
  missed_since: number | null;
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

interface DeliveryTables {
  signing_key: SigningKeyRow;
  run_statement: { owner: string; run_id: string; envelope: string; at: number };
  delivery: {
    owner: string;
    run_id: string;
    epoch: number;
    sha256: string;
    bytes: number;
    at: number;
    diff_sha256: string | null;
  };
  artifact: { owner: string; run_id: string; sha256: string; bytes: number; at: number; kept_sha256: string | null };
  blob: { sha256: string; place: number; content: Uint8Array; at: number };
  effect: EffectRow;
  contact: ContactRow;
  pr_watch: PrWatchRow;
}

interface ChannelTables {
  worker: WorkerRow;
  connection: ConnectionRow;
  node: { id: string; beat_at: number };
  probe: ProbeRow;
  report: { owner: string; run_id: string; epoch: number; mid: string };
  // oxlint-disable-next-line triptych/plain-names -- column of a released migration
  errand: { owner: string; id: string; worker_id: string; asked: string; answer: string | null; at: number };
}

export interface PanelTables extends DeliveryTables, ChannelTables {
  account: AccountRow;
  license_key: { owner: string; hash: string; sealed: string; generation: number; rotated_at: number | null };
  session: { owner: string; hash: string; created_at: number; seen_at: number };
  api_token: TokenRow;
  repo: RepoRow;
  repo_check: CheckRow;
  run: RunRow & { said_epoch: Generated<number>; said_upto: Generated<number> };
  run_transition: {
    owner: string;
    run_id: string;
    revision: number;
    event: string;
    from_state: RunState | null;
    to_state: RunState;
    at: number;
  };
  bus_chunk: BusChunkRow;
  memory: MemoryRow;
  candidate: CandidateRow;
  scout_tally: { owner: string; repo_id: string; suppressed: number; dropped_green: number };
  sign_in_link: { owner: string; hash: string; expires_at: number };
  schedule: ScheduleRow;
  schedule_fire: FireRow;
  idempotency: { owner: string; key: string; payload: string; answer: string; expires_at: number };
  usage_daily: {
    owner: string;
    day: number;
    agent_ms: number;
    input_tokens: number;
    output_tokens: number;
    cost_micro: number;
  };
  audit: { owner: string; id: string; what: string; at: number };
}

export type Db = Kysely<PanelTables>;
