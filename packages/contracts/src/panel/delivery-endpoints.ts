/** Delivery: the git relay, uploads, diffs, artifacts and pull requests. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { GIT_REQUEST_BYTES_MAX } from "./limits.ts";
import { anyId, READ_ERRORS, strictObject, IDEMPOTENT_ERRORS, WRITE_ERRORS } from "./schema-helpers.ts";
import { Run } from "./run-schemas.ts";

const runId = strictObject({ id: anyId("run") });
const artifactId = strictObject({ id: anyId("run"), sha256: Type.String({ description: "lower-case hex" }) });
/** A run token grants access to the routes of its run and epoch only. */
const RUN_TOKEN_ERRORS = ["unauthenticated", "not_found", "superseded", "validation_failed"] as const;
const Stored = strictObject({ sha256: Type.String(), bytes: Type.Integer() }, { title: "StoredUpload" });
const gitProtocol = Type.String({ description: "as in git's smart HTTP protocol" });

export const listGitRefs = defineEndpoint({
  id: "listGitRefs",
  method: "GET",
  path: "/api/worker/runs/{id}/git/info/refs",
  summary: "List refs for a clone: the freshly fetched base branch of a run",
  description: "The worker needs no credential of the Git host: the panel fetches and relays.",
  auth: "run",
  params: runId,
  query: strictObject({ service: Type.Enum(["git-upload-pack"]) }),
  answers: {
    200: { description: "refs", schema: gitProtocol, media: ["application/x-git-upload-pack-advertisement"] },
  },
  problems: [...RUN_TOKEN_ERRORS, "forge_error"],
});

export const fetchGitPack = defineEndpoint({
  id: "fetchGitPack",
  method: "POST",
  path: "/api/worker/runs/{id}/git/git-upload-pack",
  summary: "Fetch a pack for a clone",
  description: "Body and response are those of `git-upload-pack` in git's smart HTTP protocol.",
  auth: "run",
  params: runId,
  rawBody: true,
  requestMedia: "application/x-git-upload-pack-request",
  bodyLimit: GIT_REQUEST_BYTES_MAX,
  answers: { 200: { description: "a pack", schema: gitProtocol, media: ["application/x-git-upload-pack-result"] } },
  problems: [...RUN_TOKEN_ERRORS, "too_large", "forge_error"],
});

const checkId = strictObject({ id: anyId("chk") });
const CHECK_TOKEN_ERRORS = ["unauthenticated", "not_found", "validation_failed"] as const;

export const listCheckRefs = defineEndpoint({
  id: "listCheckRefs",
  method: "GET",
  path: "/api/worker/checks/{id}/git/info/refs",
  summary: "List refs for the clone of a check: the default branch of the repository",
  description: "The worker needs no credential of the Git host: the panel fetches and relays.",
  auth: "check",
  params: checkId,
  query: strictObject({ service: Type.Enum(["git-upload-pack"]) }),
  answers: {
    200: { description: "refs", schema: gitProtocol, media: ["application/x-git-upload-pack-advertisement"] },
  },
  problems: [...CHECK_TOKEN_ERRORS, "forge_error"],
});

export const fetchCheckPack = defineEndpoint({
  id: "fetchCheckPack",
  method: "POST",
  path: "/api/worker/checks/{id}/git/git-upload-pack",
  summary: "Fetch a pack for the clone of a check",
  description: "Body and response are those of `git-upload-pack` in git's smart HTTP protocol.",
  auth: "check",
  params: checkId,
  rawBody: true,
  requestMedia: "application/x-git-upload-pack-request",
  bodyLimit: GIT_REQUEST_BYTES_MAX,
  answers: { 200: { description: "a pack", schema: gitProtocol, media: ["application/x-git-upload-pack-result"] } },
  problems: [...CHECK_TOKEN_ERRORS, "too_large", "forge_error"],
});

export const uploadBundle = defineEndpoint({
  id: "uploadBundle",
  method: "PUT",
  path: "/api/worker/runs/{id}/bundle",
  summary: "Upload the work of a run as a git bundle",
  description:
    "At most 64 MiB, with `Content-Digest: sha-256=:…:` (RFC 9530). The bundle requires only the base commit and contains one branch, `maint/<run id>`. Other bundles return 400 and end the run as `bundle_invalid`. Repeating an upload with the same bytes returns 200.",
  auth: "run",
  params: runId,
  query: strictObject({ epoch: Type.Integer({ minimum: 1 }) }),
  streamBody: true,
  requestMedia: "application/octet-stream",
  answers: { 200: { description: "stored", schema: Stored } },
  problems: [...RUN_TOKEN_ERRORS, "too_large", "malformed_request"],
});

export const uploadArtifact = defineEndpoint({
  id: "uploadArtifact",
  method: "PUT",
  path: "/api/worker/runs/{id}/artifacts/{sha256}",
  summary: "Upload a long text of a run, such as check output or work in progress",
  description: "At most 4 MiB, identified by its SHA-256.",
  auth: "run",
  params: artifactId,
  streamBody: true,
  requestMedia: "application/octet-stream",
  answers: { 200: { description: "stored", schema: Stored } },
  problems: [...RUN_TOKEN_ERRORS, "too_large", "malformed_request"],
});

export const getRunDiff = defineEndpoint({
  id: "getRunDiff",
  method: "GET",
  path: "/api/runs/{id}/diff",
  summary: "Get the change of a run",
  description: "The change between the base commit and the head of the run.",
  auth: "account",
  params: runId,
  answers: {
    200: {
      description: "a unified diff",
      schema: Type.String({ description: "as `git diff` prints it" }),
      media: ["text/x-diff"],
    },
    204: { description: "the run has no change" },
  },
  problems: [...READ_ERRORS, "not_found"],
});

export const openPr = defineEndpoint({
  id: "openPr",
  method: "POST",
  path: "/api/runs/{id}/pr",
  summary: "Open the pull request of a pushed run, or return the existing one",
  description:
    "Concurrent requests create at most one pull request, whatever the Git host responds. If the branch was deleted, it is pushed again, as long as the bundle of the run is stored.",
  auth: "account",
  idempotent: true,
  params: runId,
  body: strictObject({
    reopen: Type.Optional(Type.Boolean({ description: "reopen a pull request that was closed without being merged" })),
    draft: Type.Optional(Type.Boolean()),
  }),
  answers: {
    200: { description: "the pull request existed or was reopened", schema: Run },
    201: { description: "the pull request was created", schema: Run },
  },
  problems: [
    ...WRITE_ERRORS,
    ...IDEMPOTENT_ERRORS,
    "not_found",
    "run_not_pushed",
    "pr_unsupported",
    "pr_closed",
    "policy_forbids",
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
  summary: "Get a long text of a run",
  description: "Messages on the bus and results of checks name artifacts by their SHA-256.",
  auth: "account",
  params: artifactId,
  answers: {
    200: {
      description: "the text as a file",
      schema: Type.String(),
      media: ["text/plain"],
      headers: { "Content-Disposition": "attachment" },
    },
  },
  problems: [...READ_ERRORS, "not_found"],
});
