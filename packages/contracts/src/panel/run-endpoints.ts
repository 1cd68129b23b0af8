import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { RUN_KINDS, RUN_PHASES, RUN_STATES } from "./limits.ts";
import {
  anyId,
  READ_ERRORS,
  strictObject,
  IDEMPOTENT_ERRORS,
  listOf,
  nullable,
  paged,
  time,
  WRITE_ERRORS,
} from "./schema-helpers.ts";
import { Run } from "./run-schemas.ts";
import { areas, checks, focus, Gate, priority, scout, teamPatch, verifyCommand } from "./settings-schemas.ts";

const repoId = strictObject({ id: anyId("rep") });
const runId = strictObject({ id: anyId("run") });
const filters = {
  state: Type.Optional(Type.Enum([...RUN_STATES], { title: "RunState" })),
  kind: Type.Optional(Type.Enum([...RUN_KINDS], { title: "RunKind" })),
  since: Type.Optional(time),
};
/** A git branch name. Rejects patterns, paths with `..` and command-line options. */
const baseBranch = Type.String({
  minLength: 1,
  maxLength: 250,
  pattern:
    "^(?![-/])(?!.*(?:\\.\\.|//|@\\{|/\\.|\\.lock(?:/|$)|[./]$))[^.\\s\\u0000-\\u001f\\u007f~^:?*\\[\\\\][^\\s\\u0000-\\u001f\\u007f~^:?*\\[\\\\]*$",
});
const accepted = {
  202: { description: "the run is queued for a worker", schema: Run, headers: { Location: "path of the run" } },
};
const START_ERRORS = ["not_found", "quota_exceeded", "repo_paused", "repo_unreachable", ...IDEMPOTENT_ERRORS] as const;

export const startRun = defineEndpoint({
  id: "startRun",
  method: "POST",
  path: "/api/repos/{id}/run",
  summary: "Start a maintenance run",
  description:
    "The run uses the settings at the time of the request. Without a connected worker it is queued, with an entry in `warnings`.",
  auth: "account",
  idempotent: true,
  params: repoId,
  body: strictObject({
    focus: Type.Optional(focus),
    verify_cmd: Type.Optional(verifyCommand),
    gate: Type.Optional(nullable(Gate)),
    base_branch: Type.Optional(baseBranch),
    team: Type.Optional(teamPatch),
    priority: Type.Optional(priority),
    parallel: Type.Optional(Type.Boolean()),
  }),
  answers: accepted,
  problems: [...WRITE_ERRORS, "policy_forbids", "run_already_active", ...START_ERRORS],
});

export const startExplore = defineEndpoint({
  id: "startExplore",
  method: "POST",
  path: "/api/repos/{id}/explore",
  summary: "Start an explore run, which reads the repository and proposes candidates (plan Pro or higher)",
  description:
    "The run changes nothing in the repository. Its findings become candidates, each with a failing check as proof.",
  auth: "account",
  idempotent: true,
  params: repoId,
  body: strictObject({
    scout: Type.Optional(scout),
    checks: Type.Optional(checks),
    areas: Type.Optional(areas),
    max_candidates: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
  }),
  answers: accepted,
  problems: [...WRITE_ERRORS, "plan_required", "explore_already_active", ...START_ERRORS],
});

export const listRunsOfRepo = defineEndpoint({
  id: "listRunsOfRepo",
  method: "GET",
  path: "/api/repos/{id}/runs",
  summary: "List the runs of a repository, newest first",
  description: "Same as `GET /api/runs?repo_id=…`, but an unknown repository returns 404.",
  auth: "account",
  params: repoId,
  query: strictObject({ ...filters, ...paged }),
  answers: { 200: { description: "a page", schema: listOf(Run) } },
  problems: [...READ_ERRORS, "not_found"],
});

export const listRuns = defineEndpoint({
  id: "listRuns",
  method: "GET",
  path: "/api/runs",
  summary: "List your runs, newest first",
  description: "Runs of all your repositories. Filters combine with AND.",
  auth: "account",
  query: strictObject({
    ...filters,
    phase: Type.Optional(Type.Enum([...RUN_PHASES], { title: "RunPhase" })),
    repo_id: Type.Optional(anyId("rep")),
    candidate_id: Type.Optional(anyId("cnd")),
    ...paged,
  }),
  answers: { 200: { description: "a page", schema: listOf(Run) } },
  problems: [...READ_ERRORS, "not_found"],
});

export const getRun = defineEndpoint({
  id: "getRun",
  method: "GET",
  path: "/api/runs/{id}",
  summary: "A run",
  description:
    "Includes state, checks, diff statistics, usage and result. Values are null until a worker reports them.",
  auth: "account",
  params: runId,
  answers: { 200: { description: "the run", schema: Run } },
  problems: [...READ_ERRORS, "not_found"],
});

export const cancelRun = defineEndpoint({
  id: "cancelRun",
  method: "POST",
  path: "/api/runs/{id}/cancel",
  summary: "Cancel a run that is not yet being pushed",
  description: "A queued run ends immediately. A running one ends when its worker has stopped the agent.",
  auth: "account",
  takesNoBody: true,
  params: runId,
  answers: {
    200: { description: "the run was already cancelled", schema: Run },
    202: { description: "the run is cancelled, or will be within 10 s", schema: Run },
  },
  problems: [...WRITE_ERRORS, "not_found", "run_not_cancellable"],
});

export const retryRun = defineEndpoint({
  id: "retryRun",
  method: "POST",
  path: "/api/runs/{id}/retry",
  summary: "Retry a failed, cancelled, lost or expired run as a new run",
  description: "`trigger.retry_of` of the new run is the ID of the old run.",
  auth: "account",
  idempotent: true,
  params: runId,
  body: strictObject({ focus: Type.Optional(focus) }),
  answers: accepted,
  problems: [
    ...WRITE_ERRORS,
    "run_not_retryable",
    "policy_forbids",
    "run_already_active",
    "plan_required",
    "explore_already_active",
    "candidate_not_proposed",
    "candidate_rejected",
    "candidate_stale",
    ...START_ERRORS,
  ],
});
