import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { FOLLOW_UP_CAUSES } from "./limits.ts";
import { Run } from "./run-schemas.ts";
import { anyId, IDEMPOTENT_ERRORS, strictObject, WRITE_ERRORS } from "./schema-helpers.ts";
import { focus } from "./settings-schemas.ts";

export const followUpRun = defineEndpoint({
  id: "followUpRun",
  method: "POST",
  path: "/api/runs/{id}/follow-up",
  summary: "Start a follow-up run for the open pull request of a run",
  description:
    "The new run pushes one commit to the branch of the pull request. It also starts after `max_attempts`, and while `follow_up` is off. Without `cause`, the panel takes the first that it sees: conflict, checks, review. The ID may also be that of a follow-up run.",
  auth: "account",
  idempotent: true,
  params: strictObject({ id: anyId("run") }),
  body: strictObject({
    cause: Type.Optional(Type.Enum([...FOLLOW_UP_CAUSES], { title: "FollowUpCause" })),
    focus: Type.Optional(focus),
  }),
  answers: {
    202: { description: "the run is queued for a worker", schema: Run, headers: { Location: "path of the run" } },
  },
  problems: [
    ...WRITE_ERRORS,
    ...IDEMPOTENT_ERRORS,
    "not_found",
    "quota_exceeded",
    "repo_paused",
    "repo_unreachable",
    "policy_forbids",
    "run_already_active",
    "run_not_followable",
  ],
});
