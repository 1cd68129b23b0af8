import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { Memory, memoryScope } from "./account-schemas.ts";
import { MEMORY_KINDS, MEMORY_STATUSES, MEMORY_TEXT_MAX, REPO_STATUSES, REPO_URL_MAX } from "./limits.ts";
import {
  anyId,
  READ_ERRORS,
  strictObject,
  IDEMPOTENT_ERRORS,
  listOf,
  nullable,
  paged,
  WRITE_ERRORS,
} from "./schema-helpers.ts";
import { environmentPatch } from "./environment-schemas.ts";
import { aiPolicyPatch, CredentialSent, Repo, repoName, repoProvider } from "./repo-schemas.ts";
import { settingPatches } from "./settings-schemas.ts";

const ETAG = { ETag: "the revision; send it as `If-Match` to reject the change if a newer revision exists" };
/** The other states are set by the panel when it checks whether the repository is reachable. */
const settableStatus = Type.Enum(["active", "paused"]);
const repoId = strictObject({ id: anyId("rep") });
const memoryId = strictObject({ id: anyId("rep"), mid: anyId("mem") });

export const listRepos = defineEndpoint({
  id: "listRepos",
  method: "GET",
  path: "/api/repos",
  summary: "List your repositories, newest first",
  description: "Filter by status or by a part of the name. Pages continue with `next_cursor`.",
  auth: "account",
  query: strictObject({
    status: Type.Optional(Type.Enum([...REPO_STATUSES], { title: "RepoStatus" })),
    q: Type.Optional(Type.String({ maxLength: 100, description: "part of the name or address" })),
    ...paged,
  }),
  answers: { 200: { description: "a page", schema: listOf(Repo) } },
  problems: READ_ERRORS,
});

export const createRepo = defineEndpoint({
  id: "createRepo",
  method: "POST",
  path: "/api/repos",
  summary: "Add a repository",
  description:
    "A user and password in the URL are moved to `credential`. The status is `checking` until the Git host has been reached. Then `verify_cmd` and `verify.setup_cmd` are detected, unless the body sets them; `detected` lists them, and a worker runs them once (see `check`). At the repository limit of the plan, the response is 403 `quota_exceeded`, which does not reset with time.",
  auth: "account",
  idempotent: true,
  body: strictObject({
    url: Type.String({ minLength: 1, maxLength: REPO_URL_MAX, description: "http(s), ssh, or host:path" }),
    name: Type.Optional(repoName),
    provider: Type.Optional(repoProvider),
    credential: Type.Optional(CredentialSent),
    status: Type.Optional(settableStatus),
    environment: Type.Optional(environmentPatch),
    ...settingPatches,
  }),
  answers: {
    201: { description: "the repository", schema: Repo, headers: { Location: "path of the repository", ...ETAG } },
  },
  problems: [
    ...WRITE_ERRORS,
    "local_repo_forbidden",
    "isolation_below_minimum",
    "repo_exists",
    "quota_exceeded",
    ...IDEMPOTENT_ERRORS,
  ],
});

export const getRepo = defineEndpoint({
  id: "getRepo",
  method: "GET",
  path: "/api/repos/{id}",
  summary: "A repo",
  description: "Includes settings, statistics, the state of the credential, and the next scheduled times.",
  auth: "account",
  params: repoId,
  answers: { 200: { description: "the repository", schema: Repo, headers: ETAG } },
  problems: [...READ_ERRORS, "not_found"],
});

export const updateRepo = defineEndpoint({
  id: "updateRepo",
  method: "PATCH",
  path: "/api/repos/{id}",
  summary: "Update the settings of a repository",
  description:
    "JSON Merge Patch: omitted members stay unchanged, `null` restores the default (inside `limits` it removes the cap). Existing runs keep their settings. Changing commands, variables or isolation restarts an existing check. `ai_policy.override` requires the scope `admin` or a signed-in person, and is audited. Enabling `schedule` while the AI policy forbids runs is 409 `policy_forbids`.",
  auth: "account",
  params: repoId,
  body: strictObject(
    {
      name: Type.Optional(nullable(repoName)),
      provider: Type.Optional(nullable(repoProvider)),
      credential: Type.Optional(nullable(CredentialSent)),
      status: Type.Optional(nullable(settableStatus)),
      environment: Type.Optional(nullable(environmentPatch)),
      ai_policy: Type.Optional(nullable(aiPolicyPatch)),
      ...settingPatches,
    },
    { "x-fixed": { url: "Add the other repository, and delete this one." } },
  ),
  answers: { 200: { description: "the updated repository", schema: Repo, headers: ETAG } },
  problems: [...WRITE_ERRORS, "isolation_below_minimum", "not_found", "policy_forbids", "revision_conflict"],
});

export const deleteRepo = defineEndpoint({
  id: "deleteRepo",
  method: "DELETE",
  path: "/api/repos/{id}",
  summary: "Delete a repository; cancels its runs and destroys its credential",
  description: "Active runs are cancelled. Pushed branches and pull requests stay at the Git host.",
  auth: "account",
  takesNoBody: true,
  params: repoId,
  answers: { 204: { description: "deleted" } },
  problems: [...WRITE_ERRORS, "not_found"],
});

export const checkRepo = defineEndpoint({
  id: "checkRepo",
  method: "POST",
  path: "/api/repos/{id}/check",
  summary: "Check the commands of a repository on a worker",
  description:
    "A worker clones the default branch and runs the setup and verify commands once, without an agent. `check` of the repository contains the state. While a check is `pending` or `running`, the request starts no second one.",
  auth: "account",
  takesNoBody: true,
  params: repoId,
  answers: { 202: { description: "the repository, with its check", schema: Repo } },
  problems: [...WRITE_ERRORS, "not_found"],
});

export const listMemories = defineEndpoint({
  id: "listMemories",
  method: "GET",
  path: "/api/repos/{id}/memories",
  summary: "List the memories given to agents for a repository, newest first",
  description: "Filter by status and kind. Pages continue with `next_cursor`.",
  auth: "account",
  params: repoId,
  query: strictObject({
    status: Type.Optional(Type.Enum([...MEMORY_STATUSES], { title: "MemoryStatus" })),
    kind: Type.Optional(Type.Enum([...MEMORY_KINDS], { title: "MemoryKind" })),
    ...paged,
  }),
  answers: { 200: { description: "a page", schema: listOf(Memory) } },
  problems: [...READ_ERRORS, "not_found"],
});

export const addMemory = defineEndpoint({
  id: "addMemory",
  method: "POST",
  path: "/api/repos/{id}/memories",
  summary: "Add a memory",
  description:
    "Duplicate texts (ignoring white space and case) are stored once. At the memory limit of the plan, the response is 403 `quota_exceeded`.",
  auth: "account",
  idempotent: true,
  params: repoId,
  body: strictObject({
    text: Type.String({ minLength: 1, maxLength: MEMORY_TEXT_MAX, pattern: "\\S" }),
    kind: Type.Optional(Type.Enum([...MEMORY_KINDS], { title: "MemoryKind" })),
    pinned: Type.Optional(Type.Boolean()),
    scope: Type.Optional(memoryScope),
  }),
  answers: {
    200: { description: "the existing memory with this text", schema: Memory },
    201: { description: "the memory", schema: Memory, headers: { Location: "path of the memory" } },
  },
  problems: [...WRITE_ERRORS, "not_found", "quota_exceeded", ...IDEMPOTENT_ERRORS],
});

export const updateMemory = defineEndpoint({
  id: "updateMemory",
  method: "PATCH",
  path: "/api/repos/{id}/memories/{mid}",
  summary: "Accept, pin or categorize a memory",
  description: "JSON Merge Patch: omitted members stay unchanged, `null` restores the default.",
  auth: "account",
  params: memoryId,
  body: strictObject({
    status: Type.Optional(nullable(Type.Enum([...MEMORY_STATUSES], { title: "MemoryStatus" }))),
    pinned: Type.Optional(nullable(Type.Boolean())),
    kind: Type.Optional(nullable(Type.Enum([...MEMORY_KINDS], { title: "MemoryKind" }))),
    scope: Type.Optional(memoryScope),
  }),
  answers: { 200: { description: "the updated memory", schema: Memory } },
  problems: [...WRITE_ERRORS, "not_found"],
});

export const deleteMemory = defineEndpoint({
  id: "deleteMemory",
  method: "DELETE",
  path: "/api/repos/{id}/memories/{mid}",
  summary: "Delete a memory",
  description: "Later runs do not receive it. Runs that have already started keep it.",
  auth: "account",
  takesNoBody: true,
  params: memoryId,
  answers: { 204: { description: "deleted" } },
  problems: [...WRITE_ERRORS, "not_found"],
});
