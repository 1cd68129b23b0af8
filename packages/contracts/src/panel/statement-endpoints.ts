/** Signed statements of runs, and the keys that verify them. */
import { defineEndpoint } from "../endpoint.ts";
import { jwkSet } from "../jwk-set.ts";
import { anyId, READ_ERRORS, strictObject } from "./schema-helpers.ts";
import { StatementEnvelope } from "./statement-schemas.ts";

export const getRunStatement = defineEndpoint({
  id: "getRunStatement",
  method: "GET",
  path: "/api/runs/{id}/statement",
  summary: "Get the signed statement of a pushed run",
  description:
    "A DSSE envelope over an in-toto Statement v1: commit, patch, checks with the digests of their logs, agents, isolation and usage. It is signed when the run is pushed, and never changes. Before the push, the response is 404. `triptych run verify` and any DSSE library verify it.",
  auth: "account",
  params: strictObject({ id: anyId("run") }),
  answers: { 200: { description: "the envelope", schema: StatementEnvelope } },
  problems: [...READ_ERRORS, "not_found"],
});

export const getStatementKeys = defineEndpoint({
  id: "getStatementKeys",
  method: "GET",
  path: "/.well-known/jwks.json",
  summary: "List the keys that verify statements: next, current and all retired ones",
  description: "The set can be cached: keys are published 24 h before their first use and are never removed.",
  auth: null,
  answers: { 200: { description: "a JSON Web Key Set", schema: jwkSet } },
  problems: ["validation_failed", "store_unavailable"],
  examples: ["/.well-known/jwks.json"],
});
