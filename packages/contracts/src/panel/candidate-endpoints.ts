import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { Candidate, ExploreStats, rejectScope } from "./candidate-schemas.ts";
import { CANDIDATE_CATEGORIES, CANDIDATE_STATES } from "./limits.ts";
import { anyId, READ_ERRORS, strictObject, IDEMPOTENT_ERRORS, listOf, paged, WRITE_ERRORS } from "./schema-helpers.ts";
import { Run } from "./run-schemas.ts";
import { priority, teamPatch } from "./settings-schemas.ts";

const repoId = strictObject({ id: anyId("rep") });
const candidateId = strictObject({ id: anyId("cnd") });

export const listCandidates = defineEndpoint({
  id: "listCandidates",
  method: "GET",
  path: "/api/repos/{id}/candidates",
  summary: "List the candidates of a repository by score",
  description: "Proposed candidates by default, best score first. `state=all` includes rejected and completed ones.",
  auth: "account",
  params: repoId,
  query: strictObject({
    state: Type.Optional(Type.Enum([...CANDIDATE_STATES, "all"], { default: "proposed" })),
    category: Type.Optional(Type.Enum([...CANDIDATE_CATEGORIES], { title: "CandidateCategory" })),
    ...paged,
  }),
  answers: { 200: { description: "a page", schema: listOf(Candidate) } },
  problems: [...READ_ERRORS, "not_found"],
});

export const getExploreStats = defineEndpoint({
  id: "getExploreStats",
  method: "GET",
  path: "/api/repos/{id}/explore-stats",
  summary: "Count the candidates of a repository by state and outcome",
  description: "`funnel` counts candidates since the repository was added.",
  auth: "account",
  params: repoId,
  answers: { 200: { description: "counts", schema: ExploreStats } },
  problems: [...READ_ERRORS, "not_found"],
});

export const runCandidate = defineEndpoint({
  id: "runCandidate",
  method: "POST",
  path: "/api/candidates/{id}/run",
  summary: "Run a proposed candidate, with its focus and with its gate as proof",
  description: "The gate of the candidate must fail before the change and pass after it.",
  auth: "account",
  idempotent: true,
  params: candidateId,
  body: strictObject({
    persist: Type.Optional(Type.Boolean({ default: false, description: "also sets the focus of the repository" })),
    team: Type.Optional(teamPatch),
    priority: Type.Optional(priority),
  }),
  answers: {
    202: { description: "the run is queued for a worker", schema: Run, headers: { Location: "path of the run" } },
  },
  problems: [
    ...WRITE_ERRORS,
    "not_found",
    "candidate_not_proposed",
    "candidate_rejected",
    "candidate_stale",
    "policy_forbids",
    "quota_exceeded",
    "repo_paused",
    "repo_unreachable",
    "run_already_active",
    ...IDEMPOTENT_ERRORS,
  ],
});

export const rejectCandidate = defineEndpoint({
  id: "rejectCandidate",
  method: "POST",
  path: "/api/candidates/{id}/reject",
  summary: "Reject a candidate permanently or until a given time",
  description: "Later explore runs do not propose a rejected finding again. `until` makes the rejection temporary.",
  auth: "account",
  params: candidateId,
  body: strictObject({
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    scope: Type.Optional(rejectScope),
    until: Type.Optional(
      Type.String({
        format: "date-time",
        description:
          "snoozes the candidate: explore runs may propose it again after this time, which must be in the future",
      }),
    ),
  }),
  answers: {
    200: {
      description:
        "the candidate, rejected by this request or an earlier one. For dependency updates, `scope` defaults to `major`: 8.0 is proposed even if 7.0.2 was rejected",
      schema: Candidate,
    },
  },
  problems: [...WRITE_ERRORS, "not_found", "candidate_not_proposed"],
});
