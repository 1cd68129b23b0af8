import { Type, type Static } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { FIRE_RESULTS, RUN_KINDS } from "./limits.ts";
import { anyId, READ_ERRORS, strictObject, listOf, nullable, paged, time, timeOrNull } from "./schema-helpers.ts";

const Fire = strictObject(
  {
    id: Type.String(),
    repo_id: Type.String(),
    kind: Type.Enum([...RUN_KINDS], { description: "`maintain` of `schedule`, `explore` of `explore.schedule`" }),
    scheduled_for: { ...time, description: "as computed from the pattern, without jitter" },
    at: { ...time, description: "when the scheduler processed it" },
    result: Type.Enum([...FIRE_RESULTS], { description: "`started`, or the reason why no run was created" }),
    run_id: nullable(Type.String()),
    missed_since: {
      ...timeOrNull,
      description:
        "null unless several times were missed while no panel was running; then the first of them, and this entry is the last",
    },
  },
  { title: "Fire" },
);
export type Fire = Static<typeof Fire>;

export const listFires = defineEndpoint({
  id: "listFires",
  method: "GET",
  path: "/api/repos/{id}/fires",
  summary: "List what happened at the scheduled times of a repository, newest first",
  description:
    "Each scheduled time creates one run, or is recorded with the reason why it did not. Stored for 30 days.",
  auth: "account",
  params: strictObject({ id: anyId("rep") }),
  query: strictObject({
    kind: Type.Optional(Type.Enum([...RUN_KINDS], { title: "RunKind" })),
    result: Type.Optional(Type.Enum([...FIRE_RESULTS], { title: "FireResult" })),
    ...paged,
  }),
  answers: { 200: { description: "a page", schema: listOf(Fire) } },
  problems: [...READ_ERRORS, "not_found"],
});
