/** Candidates: findings as reported by a scout and as returned by the API. */
import { Type, type Static } from "typebox";
import { CANDIDATE_CATEGORIES, CANDIDATE_EFFORTS, CANDIDATE_RISKS, CANDIDATE_STATES, REJECT_SCOPES } from "./limits.ts";
import { strictObject, count, nullable, time } from "./schema-helpers.ts";
import { focus, Gate } from "./settings-schemas.ts";

const textOrNull = nullable(Type.String());
const evidence = {
  path: Type.String({ minLength: 1, maxLength: 1_000 }),
  line: nullable(Type.Integer({ minimum: 1 })),
  sha: nullable(Type.String({ maxLength: 64 })),
  excerpt: Type.String({ maxLength: 2_000 }),
};
const proof = {
  exit_code: Type.Integer(),
  duration_ms: count,
  output: Type.String({ maxLength: 16 * 1024 }),
};
const found = {
  title: Type.String({ minLength: 1, maxLength: 120 }),
  focus,
  gate: Gate,
  category: Type.Enum([...CANDIDATE_CATEGORIES], { title: "CandidateCategory" }),
  rationale: Type.String({ maxLength: 2_000 }),
  score: Type.Number({ minimum: 0, maximum: 1 }),
  effort: Type.Enum([...CANDIDATE_EFFORTS], { title: "CandidateEffort" }),
  risk: Type.Enum([...CANDIDATE_RISKS], { title: "CandidateRisk" }),
  fingerprint: Type.String({
    pattern: "^sha256:[0-9a-f]{64}$",
    description: "fingerprint of the properties that identify the finding",
  }),
  source: Type.Enum(["scan", "agent"]),
  mendable: Type.Boolean(),
};

export const rejectScope = Type.Enum([...REJECT_SCOPES], {
  title: "RejectScope",
  description:
    "dependency updates: this version, its major version, or every version. Other candidates: all three mean the finding itself",
});

/** Result of a gate at the base commit. Extra properties are allowed, as in frames. */
export const GateProof = Type.Object(proof);
export type GateProof = Static<typeof GateProof>;

/**
 * A member of `candidates` in the worker's `succeeded` report. Its gate ran once at the base commit. Extra properties
 * are allowed, as in frames.
 */
export const Proposal = Type.Object({
  ...found,
  gate_proof: GateProof,
  evidence: Type.Array(Type.Object(evidence), { maxItems: 10 }),
});
export type Proposal = Static<typeof Proposal>;

export const Candidate = strictObject(
  {
    id: Type.String(),
    repo_id: Type.String(),
    explore_run_id: Type.String(),
    state: Type.Enum([...CANDIDATE_STATES], { title: "CandidateState" }),
    ...found,
    gate_proof: strictObject(proof, { title: "GateProof" }),
    evidence: Type.Array(strictObject(evidence, { title: "Evidence" })),
    base_sha: textOrNull,
    stale: Type.Boolean({ description: "the evidence is gone and the gate was not verified again" }),
    attempts: count,
    run_id: textOrNull,
    outcome: nullable(Type.Enum(["delivered", "already_fixed"])),
    reject: nullable(
      strictObject(
        {
          reason: textOrNull,
          at: time,
          scope: rejectScope,
          until: nullable(Type.String({ format: "date-time", description: "null: rejected permanently" })),
        },
        { title: "Rejection" },
      ),
    ),
    created_at: time,
  },
  { title: "Candidate" },
);
export type Candidate = Static<typeof Candidate>;

export const ExploreStats = strictObject(
  {
    proposed: count,
    selected: count,
    rejected: count,
    done: count,
    total: count,
    suppressed: count,
    dropped_green: count,
    funnel: strictObject({ ever_proposed: count, ever_selected: count, delivered: count }),
  },
  { title: "ExploreStats", description: "the first four count by current state; `total` is their sum" },
);
export type ExploreStats = Static<typeof ExploreStats>;
