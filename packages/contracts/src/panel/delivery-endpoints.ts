/** What leaves a worker and what leaves the panel: the git relay, uploads, the diff, artefacts, the pull request. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { GIT_REQUEST_BYTES_MAX } from "./limits.ts";
import { anyId, asked, closed, keyed, written } from "./pieces.ts";
import { Run } from "./run-shapes.ts";

const runId = closed({ id: anyId("run") });
const artifactId = closed({ id: anyId("run"), sha256: Type.String({ description: "lower-case hex" }) });
/** A run token opens the routes of its run, for its epoch. */
const byRunToken = ["unauthenticated", "not_found", "superseded", "validation_failed"] as const;
const anything = Type.String({ description: "as git's smart HTTP has it" });

export const listGitRefs = defineEndpoint({
  id: "listGitRefs",
  method: "GET",
  path: "/api/worker/runs/{id}/git/info/refs",
  summary: "Where git begins to clone: the base branch of a run, fetched anew",
  auth: "run",
  params: runId,
  query: closed({ service: Type.Enum(["git-upload-pack"]) }),
  answers: {
    200: { description: "refs", schema: anything, media: ["application/x-git-upload-pack-advertisement"] },
  },
  problems: [...byRunToken, "forge_error"],
});

export const fetchGitPack = defineEndpoint({
  id: "fetchGitPack",
  method: "POST",
  path: "/api/worker/runs/{id}/git/git-upload-pack",
  summary: "What git asks for next",
  auth: "run",
  params: runId,
  rawBody: true,
  bodyLimit: GIT_REQUEST_BYTES_MAX,
  answers: { 200: { description: "a pack", schema: anything, media: ["application/x-git-upload-pack-result"] } },
  problems: [...byRunToken, "too_large", "forge_error"],
});

export const uploadBundle = defineEndpoint({
  id: "uploadBundle",
  method: "PUT",
  path: "/api/worker/runs/{id}/bundle",
  summary: "Hand over the work of a run as a git bundle",
  description:
    "At most 64 MiB, with `Content-Digest: sha-256=:…:` (RFC 9530). It stands on the base commit alone and brings the one branch `maint/<run id>`; one that does not is 400 and ends the run as `bundle_invalid`. The same bytes again are 200 again.",
  auth: "run",
  params: runId,
  query: closed({ epoch: Type.Integer({ minimum: 1 }) }),
  streamBody: true,
  answers: { 200: { description: "it is kept", schema: closed({ sha256: Type.String(), bytes: Type.Integer() }) } },
  problems: [...byRunToken, "too_large", "malformed_request"],
});

export const uploadArtifact = defineEndpoint({
  id: "uploadArtifact",
  method: "PUT",
  path: "/api/worker/runs/{id}/artifacts/{sha256}",
  summary: "Keep a long text of a run: output of a check, work so far",
  description: "At most 4 MiB, named by its SHA-256.",
  auth: "run",
  params: artifactId,
  streamBody: true,
  answers: { 200: { description: "it is kept", schema: closed({ sha256: Type.String(), bytes: Type.Integer() }) } },
  problems: [...byRunToken, "too_large", "malformed_request"],
});

export const getRunDiff = defineEndpoint({
  id: "getRunDiff",
  method: "GET",
  path: "/api/runs/{id}/diff",
  summary: "The change of a run",
  auth: "account",
  params: runId,
  answers: {
    200: { description: "a unified diff", schema: Type.String(), media: ["text/x-diff"] },
    204: { description: "it has none" },
  },
  problems: [...asked, "not_found"],
});

export const openPr = defineEndpoint({
  id: "openPr",
  method: "POST",
  path: "/api/runs/{id}/pr",
  summary: "Open the pull request of a pushed run, or find the one that is there",
  description:
    "However many ask at once, and whatever the forge answers, there is one pull request. A branch that was removed is pushed again while the bundle of the run is kept.",
  auth: "account",
  idempotent: true,
  params: runId,
  body: closed({
    reopen: Type.Optional(Type.Boolean({ description: "one that was closed without being merged" })),
    draft: Type.Optional(Type.Boolean()),
  }),
  answers: {
    200: { description: "it was there already, or was opened again", schema: Run },
    201: { description: "it was made", schema: Run },
  },
  problems: [
    ...written,
    ...keyed,
    "not_found",
    "run_not_pushed",
    "pr_unsupported",
    "pr_closed",
    "duplicate_patch",
    "branch_gone",
    "branch_moved",
    "effect_in_progress",
    "forge_error",
  ],
});

export const getRunArtifact = defineEndpoint({
  id: "getRunArtifact",
  method: "GET",
  path: "/api/runs/{id}/artifacts/{sha256}",
  summary: "A long text of a run",
  auth: "account",
  params: artifactId,
  answers: {
    200: {
      description: "the text, as a file",
      schema: Type.String(),
      media: ["text/plain"],
      headers: { "Content-Disposition": "attachment" },
    },
  },
  problems: [...asked, "not_found"],
});
