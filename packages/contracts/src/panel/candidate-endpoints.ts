/** Candidates of a repo: read, run, dismissed. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { Candidate, ExploreStats, rejectScope } from "./candidate-shapes.ts";
import { CANDIDATE_CATEGORIES, CANDIDATE_STATES } from "./limits.ts";
import { anyId, asked, closed, keyed, listOf, paged, written } from "./pieces.ts";
import { Run } from "./run-shapes.ts";
import { priority, teamPatch } from "./settings-shapes.ts";

const repoId = closed({ id: anyId("rep") });
const candidateId = closed({ id: anyId("cnd") });

export const listCandidates = defineEndpoint({
  id: "listCandidates",
  method: "GET",
  path: "/api/repos/{id}/candidates",
  summary: "What scouts proposed for a repo, by score",
  auth: "account",
  params: repoId,
  query: closed({
    state: Type.Optional(Type.Enum([...CANDIDATE_STATES, "all"], { default: "proposed" })),
    category: Type.Optional(Type.Enum([...CANDIDATE_CATEGORIES])),
    ...paged,
  }),
  answers: { 200: { description: "a page", schema: listOf(Candidate) } },
  problems: [...asked, "not_found"],
});

export const getExploreStats = defineEndpoint({
  id: "getExploreStats",
  method: "GET",
  path: "/api/repos/{id}/explore-stats",
  summary: "How many candidates of a repo are in which state, and became of them what",
  auth: "account",
  params: repoId,
  answers: { 200: { description: "counts", schema: ExploreStats } },
  problems: [...asked, "not_found"],
});

export const runCandidate = defineEndpoint({
  id: "runCandidate",
  method: "POST",
  path: "/api/candidates/{id}/run",
  summary: "Run a proposed candidate: its focus, and its gate as the proof",
  auth: "account",
  idempotent: true,
  params: candidateId,
  body: closed({
    persist: Type.Optional(Type.Boolean({ default: false, description: "also makes its focus that of the repo" })),
    team: Type.Optional(teamPatch),
    priority: Type.Optional(priority),
  }),
  answers: {
    202: { description: "it waits for a worker", schema: Run, headers: { Location: "path of the run" } },
  },
  problems: [
    ...written,
    "not_found",
    "candidate_not_proposed",
    "candidate_rejected",
    "candidate_stale",
    "quota_exceeded",
    "repo_paused",
    "repo_unreachable",
    "run_already_active",
    ...keyed,
  ],
});

export const rejectCandidate = defineEndpoint({
  id: "rejectCandidate",
  method: "POST",
  path: "/api/candidates/{id}/reject",
  summary: "Reject a candidate, for good or until a time",
  auth: "account",
  params: candidateId,
  body: closed({
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    scope: Type.Optional(rejectScope),
    until: Type.Optional(
      Type.String({
        format: "date-time",
        description: "snooze: the first explore after this time may propose it again; a time in the future",
      }),
    ),
  }),
  answers: {
    200: {
      description:
        "the candidate, rejected now or before. `scope` is `major` by default for updates of dependencies: 8.0 is proposed after 7.0.2 was rejected",
      schema: Candidate,
    },
  },
  problems: [...written, "not_found", "candidate_not_proposed"],
});
