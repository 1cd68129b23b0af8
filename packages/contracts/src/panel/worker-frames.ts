/**
 * Frames of the worker channel: JSON text, at most 256 KiB each. Unknown types and members are ignored for
 * compatibility, so these schemas are open.
 */
import { Type, type Static, type TProperties } from "typebox";
import {
  AI_STANCES,
  BUS_KINDS,
  BUS_ROLES,
  BUS_TEXT_BYTES,
  CHECK_MESSAGE_MAX,
  COST_SOURCES,
  ISOLATION_LEVELS,
  RESULT_CODES,
  RUN_KINDS,
  VERDICTS,
} from "./limits.ts";
import { nullable } from "./schema-helpers.ts";
import { GateProof } from "./candidate-schemas.ts";
import {
  Gate,
  DependencySettings,
  Isolation,
  Limits,
  Scouting,
  settingProperties,
  Team,
  Verify,
  verifyCommand,
} from "./settings-schemas.ts";

const open = <P extends TProperties>(properties: P) => Type.Object(properties);
const frame = <T extends string, P extends TProperties>(t: T, properties: P) =>
  open({ t: Type.Literal(t), ...properties });

const id = Type.String({ minLength: 1, maxLength: 100 });
const text = Type.String();
const whole = Type.Integer({ minimum: 0 });
const price = Type.Number({ minimum: 0 });
const seconds = Type.Number({ exclusiveMinimum: 0 });
const sha = Type.String({ pattern: "^[0-9a-f]{40}([0-9a-f]{24})?$" });
const runLease = { run_id: id, epoch: whole };
const members = Type.Record(Type.String(), Type.Unknown());
const error = open({ code: text, message: text });
const shortText = Type.String({ maxLength: 200 });
const end = { exit_code: nullable(Type.Integer()), duration_ms: whole };
/** Variables for the commands; sealed ones are passed to the setup command only. */
const environment = Type.Optional(Type.Array(open({ name: text, value: text, sealed: Type.Boolean() })));
const agent = open({ cli: shortText, version: shortText, adapter: shortText, models: Type.Array(text) });

const fromWorker = {
  hello: frame("hello", {
    proto: Type.Literal(1),
    worker_id: nullable(id),
    /**
     * Random ID of the process. If the same process reconnects, its older connection closes with 4409 `reconnected`,
     * which it ignores. If another process connects, the older one gets 4409 `replaced` and exits with 2.
     */
    process: Type.Optional(id),
    embedded: Type.Optional(Type.Boolean()),
    name: Type.String({ minLength: 1, maxLength: 100 }),
    version: shortText,
    slots: Type.Integer({ minimum: 1, maximum: 1_000 }),
    isolation: Type.Enum([...ISOLATION_LEVELS]),
    os: shortText,
    agents: Type.Array(agent, { maxItems: 100 }),
    holding: Type.Array(open({ ...runLease, spooled_to: whole }), { maxItems: 1_000 }),
    /** Whether the worker accepts `check` frames. */
    can_check: Type.Optional(Type.Boolean()),
    /** IDs of checks that are running, or whose result has not been acknowledged. */
    checking: Type.Optional(Type.Array(id, { maxItems: 1_000 })),
  }),
  hb: frame("hb", {
    holding: Type.Array(open(runLease), { maxItems: 1_000 }),
    free_slots: whole,
    load: Type.Number({ minimum: 0 }),
    disk_free_mb: whole,
  }),
  ack: frame("ack", { cid: id }),
  accept: frame("accept", runLease),
  refuse: frame("refuse", {
    ...runLease,
    reason: Type.Enum(["no_slot", "unknown_cli", "isolation", "disk", "stopping"]),
  }),
  state: frame("state", {
    mid: id,
    ...runLease,
    state: Type.Enum(["running", "verifying", "pushing", "no_change", "failed", "succeeded", "cancelled"]),
    data: members,
  }),
  events: frame("events", {
    ...runLease,
    items: Type.Array(
      open({
        wseq: Type.Integer({ minimum: 1 }),
        at: text,
        from: open({
          role: Type.Enum([...BUS_ROLES]),
          agent: Type.Optional(nullable(text)),
          cli: Type.Optional(nullable(text)),
          model: Type.Optional(nullable(text)),
        }),
        kind: Type.Enum([...BUS_KINDS]),
        text: Type.String({ maxLength: BUS_TEXT_BYTES }),
        data: members,
        round: Type.Optional(nullable(whole)),
      }),
      { minItems: 1, maxItems: 512 },
    ),
  }),
  /** Resent on each connection until `checked_ack` arrives. A command whose end is null was not run. */
  checked: frame("checked", {
    check_id: id,
    setup: nullable(open(end)),
    verify: nullable(open(end)),
    unavailable: Type.Boolean(),
    message: nullable(Type.String({ maxLength: CHECK_MESSAGE_MAX })),
  }),
  reply: Type.Union([
    frame("reply", { cid: id, ok: Type.Literal(true), data: members }),
    frame("reply", { cid: id, ok: Type.Literal(false), error }),
  ]),
};

const fromPanel = {
  welcome: frame("welcome", {
    worker_id: id,
    // Can be fractional: short leases need more than one heartbeat per second.
    lease_s: seconds,
    hb_s: seconds,
    outbox: whole,
    resume: Type.Array(open({ ...runLease, events_upto: whole })),
    drop: Type.Array(open({ ...runLease, reason: text })),
    enabled: Type.Boolean(),
    generation: whole,
  }),
  assign: frame("assign", {
    cid: id,
    ...runLease,
    repo_id: id,
    deadline: text,
    run_token: text,
    clone: open({ url: text, branch: nullable(text), sha: nullable(text) }),
    verify: open({ cmd: verifyCommand, ...Verify.properties }),
    gate: nullable(Gate),
    team: Team,
    prompt: open({ focus: text, memories: Type.Array(text) }),
    /** Title of the candidate: the subject of the commit, if it fits. */
    title: Type.Optional(nullable(text)),
    /** From `PANEL_COMMIT_AUTHOR`. */
    author: Type.Optional(open({ name: text, email: text })),
    limits: Limits,
    /** From `PANEL_PRICES`: micro-euros per million tokens, by model. */
    prices: Type.Optional(Type.Record(Type.String(), open({ input: price, cached: price, output: price }))),
    /** From `PANEL_USD_EUR`: converts costs that an agent reports in dollars. */
    usd_eur: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    isolation: Isolation,
    environment,
    protected_paths: settingProperties.protected_paths,
    explore: Scouting,
    /** Explore only. */
    deps: Type.Optional(DependencySettings),
    /** Explore only: findings of earlier scouts. `gate` is set if it must be verified again. */
    known: Type.Optional(Type.Array(open({ fingerprint: text, gate: nullable(Gate), paths: Type.Array(text) }))),
    /** The run may add files under protected paths: a person started it for that purpose. */
    may_add_protected: Type.Optional(Type.Boolean()),
    /** Whether a person allowed runs although the project forbids them. Without this member a worker checks nothing. */
    ai_policy: Type.Optional(open({ allowed: Type.Boolean() })),
    /** Follow-up runs only: untrusted content from the forge, and the branch to merge first. */
    follow_up: Type.Optional(
      open({
        evidence: Type.Array(open({ title: text, text, path: nullable(text), line: nullable(whole) })),
        merge: nullable(open({ branch: text })),
      }),
    ),
    /** W3C trace header of the run's span, if the panel traces. */
    traceparent: Type.Optional(text),
    kind: Type.Enum([...RUN_KINDS]),
  }),
  /**
   * Runs the setup and verify commands once at the branch, without an agent. `token` grants access to the clone address
   * only.
   */
  check: frame("check", {
    cid: id,
    check_id: id,
    repo_id: id,
    clone: open({ url: text, branch: nullable(text), sha: nullable(text) }),
    token: text,
    verify: open({ cmd: verifyCommand, ...Verify.properties }),
    isolation: Isolation,
    limits: Limits,
    environment,
    timeout_s: seconds,
  }),
  checked_ack: frame("checked_ack", { check_id: id }),
  state_ack: frame("state_ack", { mid: id, result: Type.Enum(["ok", "duplicate", "rejected"]) }),
  events_ack: frame("events_ack", { ...runLease, upto: whole }),
  cancel: frame("cancel", { cid: id, ...runLease, grace_s: whole }),
  probe: frame("probe", { cid: id, cli: text, model: text, timeout_s: whole }),
  models: frame("models", { cid: id, cli: text }),
  enable: frame("enable", { cid: id, enabled: Type.Boolean() }),
  drain: frame("drain", { cid: id }),
  token_rotated: frame("token_rotated", { cid: id, license_key: text, generation: whole, rotated_at: text }),
};

/** Schemas by frame type `t`. */
export const workerFrames = fromWorker;
export const panelFrames = fromPanel;

type FrameOf<F> = { [T in keyof F]: F[T] extends Parameters<typeof Type.Array>[0] ? Static<F[T]> : never }[keyof F];
export type WorkerFrame = FrameOf<typeof fromWorker>;
export type PanelFrame = FrameOf<typeof fromPanel>;

const combinedBaseline = nullable(open({ ...end, cached: Type.Boolean() }));
/**
 * Both commands as one check: the result of the first that failed, otherwise of the last one. `gate` is the result of
 * the last attempt, otherwise of the baseline.
 */
const reportedVerify = open({
  baseline: combinedBaseline,
  attempts: Type.Array(open({ n: Type.Integer({ minimum: 1 }), ...end })),
  gate: nullable(open(end)),
  verdict: nullable(Type.Enum([...VERDICTS])),
});
export type ReportedVerify = Static<typeof reportedVerify>;

/** `log`: SHA-256 of an uploaded artifact with command, output and end. */
const loggedEnd = nullable(open({ ...end, log: Type.Optional(Type.String({ pattern: "^[0-9a-f]{64}$" })) }));
const eachCommand = { verify: loggedEnd, gate: loggedEnd };
/** The same per command. A separate member, because a panel of version 0.1 rejects unknown members of `verify`. */
const reportedChecks = open({
  baseline: nullable(open({ ...eachCommand, cached: Type.Boolean() })),
  attempts: Type.Array(open(eachCommand)),
});
export type ReportedChecks = Static<typeof reportedChecks>;

const reportFields = {
  base: Type.Optional(open({ branch: text, sha })),
  verify: Type.Optional(reportedVerify),
  checks: Type.Optional(reportedChecks),
};

/** The policy sentence, at the base commit, that ended the run. */
const reportedPolicy = open({
  stance: Type.Enum([...AI_STANCES]),
  source: Type.String({ maxLength: 300 }),
  quote: Type.String({ maxLength: 1_000 }),
});

/** `data` of a state frame, by state. Only the first frame of a run contains `base`: the commit of the branch. */
export const reportData = {
  running: open({ ...reportFields, baseline: Type.Optional(combinedBaseline) }),
  verifying: open({ changed_files: whole, insertions: whole, deletions: whole }),
  pushing: open({
    verify: reportedVerify,
    checks: Type.Optional(reportedChecks),
    head_sha: sha,
    approved: Type.Optional(nullable(Type.Boolean())),
    agents: Type.Optional(
      Type.Array(open({ role: Type.Enum([...BUS_ROLES]), cli: shortText, model: nullable(shortText) }), {
        maxItems: 20,
      }),
    ),
    comments: Type.Optional(Type.Array(open({ path: text, line: nullable(whole), text }), { maxItems: 200 })),
  }),
  no_change: open({
    ...reportFields,
    code: Type.Optional(Type.Enum(["ok", "gate_not_red"])),
    message: Type.Optional(text),
  }),
  failed: open({
    ...reportFields,
    code: Type.Enum([...RESULT_CODES]),
    message: text,
    ai_policy: Type.Optional(reportedPolicy),
  }),
  /** `proofs`: known findings that were not found again. `repeated`: fingerprints found again, which need no proof. */
  succeeded: open({
    ...reportFields,
    candidates: Type.Optional(Type.Array(members)),
    proofs: Type.Optional(
      Type.Array(open({ fingerprint: text, gate_proof: nullable(GateProof), is_evidence_gone: Type.Boolean() })),
    ),
    repeated: Type.Optional(Type.Array(text)),
    /** Statistics of the scan. `skipped`: why a check could not run. `unproved`: findings whose gate could not run. */
    scan: Type.Optional(
      open({
        checks: Type.Array(open({ name: shortText, skipped: nullable(Type.String({ maxLength: 500 })) }), {
          maxItems: 50,
        }),
        unproved: whole,
      }),
    ),
  }),
  cancelled: open({}),
};
export type ReportData = { [S in keyof typeof reportData]: Static<(typeof reportData)[S]> };
export type ReportedState = keyof ReportData;

/** `data` of a bus item of kind `usage`: totals of one role in this epoch so far. */
export const usageData = open({
  role: Type.Enum([...BUS_ROLES]),
  input_tokens: whole,
  cached_tokens: whole,
  output_tokens: whole,
  cost_micro: nullable(whole),
  turns: whole,
  cost_source: Type.Enum([...COST_SOURCES]),
});

/** Close codes sent by the panel. */
export const WORKER_CLOSES = {
  restart: 1012,
  outboxFull: 1013,
  badFrame: 4400,
  keyRotated: 4401,
  /** The account is suspended, or at the worker limit of its plan. */
  forbidden: 4403,
  noHello: 4408,
  replaced: 4409,
  deleted: 4410,
  tooLarge: 4413,
} as const;
