/** Repos and their memories. */
import { Type } from "typebox";
import { defineEndpoint } from "../endpoint.ts";
import { Memory, memoryScope } from "./account-shapes.ts";
import { MEMORY_KINDS, MEMORY_STATUSES, MEMORY_TEXT_MAX, REPO_STATUSES, REPO_URL_MAX } from "./limits.ts";
import { anyId, asked, closed, keyed, listOf, nullable, paged, written } from "./pieces.ts";
import { environmentPatch } from "./environment-shapes.ts";
import { CredentialSent, Repo, repoName, repoProvider } from "./repo-shapes.ts";
import { settingPatches } from "./settings-shapes.ts";

const ETAG = { ETag: "the revision; send it as `If-Match` to change what you have seen and nothing newer" };
/** What is neither says itself whether it can be reached. */
const settableStatus = Type.Enum(["active", "paused"]);
const repoId = closed({ id: anyId("rep") });
const memoryId = closed({ id: anyId("rep"), mid: anyId("mem") });

export const listRepos = defineEndpoint({
  id: "listRepos",
  method: "GET",
  path: "/api/repos",
  summary: "Your repos, newest first",
  auth: "account",
  query: closed({
    status: Type.Optional(Type.Enum([...REPO_STATUSES])),
    q: Type.Optional(Type.String({ maxLength: 100, description: "part of the name or address" })),
    ...paged,
  }),
  answers: { 200: { description: "a page", schema: listOf(Repo) } },
  problems: asked,
});

export const createRepo = defineEndpoint({
  id: "createRepo",
  method: "POST",
  path: "/api/repos",
  summary: "Add a repo",
  description:
    "User and password of the address move to `credential`. `checking` until the repository was reached for the first time. `verify_cmd` and `verify.setup_cmd` that the body does not name are detected then; `detected` names them. With the repos of the plan used up, 403 `quota_exceeded`: time does not heal it.",
  auth: "account",
  idempotent: true,
  body: closed({
    url: Type.String({ minLength: 1, maxLength: REPO_URL_MAX, description: "http(s), ssh, or host:path" }),
    name: Type.Optional(repoName),
    provider: Type.Optional(repoProvider),
    credential: Type.Optional(CredentialSent),
    status: Type.Optional(settableStatus),
    environment: Type.Optional(environmentPatch),
    ...settingPatches,
  }),
  answers: {
    201: { description: "the repo", schema: Repo, headers: { Location: "path of the repo", ...ETAG } },
  },
  problems: [...written, "local_repo_forbidden", "isolation_below_minimum", "repo_exists", "quota_exceeded", ...keyed],
});

export const getRepo = defineEndpoint({
  id: "getRepo",
  method: "GET",
  path: "/api/repos/{id}",
  summary: "A repo",
  auth: "account",
  params: repoId,
  answers: { 200: { description: "the repo", schema: Repo, headers: ETAG } },
  problems: [...asked, "not_found"],
});

export const updateRepo = defineEndpoint({
  id: "updateRepo",
  method: "PATCH",
  path: "/api/repos/{id}",
  summary: "Change settings of a repo",
  description:
    "JSON Merge Patch: what is left out stays, `null` restores the default (inside `limits` it lifts the cap). Runs that exist keep the settings they were made with.",
  auth: "account",
  params: repoId,
  body: closed({
    name: Type.Optional(nullable(repoName)),
    provider: Type.Optional(nullable(repoProvider)),
    credential: Type.Optional(nullable(CredentialSent)),
    status: Type.Optional(nullable(settableStatus)),
    environment: Type.Optional(nullable(environmentPatch)),
    ...settingPatches,
  }),
  answers: { 200: { description: "the repo as it is now", schema: Repo, headers: ETAG } },
  problems: [...written, "isolation_below_minimum", "not_found", "revision_conflict"],
});

export const deleteRepo = defineEndpoint({
  id: "deleteRepo",
  method: "DELETE",
  path: "/api/repos/{id}",
  summary: "Remove a repo: its runs are cancelled, its credential is destroyed",
  auth: "account",
  takesNoBody: true,
  params: repoId,
  answers: { 204: { description: "it is gone" } },
  problems: [...written, "not_found"],
});

export const listMemories = defineEndpoint({
  id: "listMemories",
  method: "GET",
  path: "/api/repos/{id}/memories",
  summary: "What agents are told about a repo, newest first",
  auth: "account",
  params: repoId,
  query: closed({
    status: Type.Optional(Type.Enum([...MEMORY_STATUSES])),
    kind: Type.Optional(Type.Enum([...MEMORY_KINDS])),
    ...paged,
  }),
  answers: { 200: { description: "a page", schema: listOf(Memory) } },
  problems: [...asked, "not_found"],
});

export const addMemory = defineEndpoint({
  id: "addMemory",
  method: "POST",
  path: "/api/repos/{id}/memories",
  summary: "Add a memory",
  description:
    "The same text (white space and case aside) is kept once. With the memories of the plan used up, 403 `quota_exceeded`.",
  auth: "account",
  idempotent: true,
  params: repoId,
  body: closed({
    text: Type.String({ minLength: 1, maxLength: MEMORY_TEXT_MAX, pattern: "\\S" }),
    kind: Type.Optional(Type.Enum([...MEMORY_KINDS])),
    pinned: Type.Optional(Type.Boolean()),
    scope: Type.Optional(memoryScope),
  }),
  answers: {
    200: { description: "this text is there already: the memory that holds it", schema: Memory },
    201: { description: "the memory", schema: Memory, headers: { Location: "path of the memory" } },
  },
  problems: [...written, "not_found", "quota_exceeded", ...keyed],
});

export const updateMemory = defineEndpoint({
  id: "updateMemory",
  method: "PATCH",
  path: "/api/repos/{id}/memories/{mid}",
  summary: "Accept, pin or sort a memory",
  description: "JSON Merge Patch: what is left out stays, `null` restores what a new one has.",
  auth: "account",
  params: memoryId,
  body: closed({
    status: Type.Optional(nullable(Type.Enum([...MEMORY_STATUSES]))),
    pinned: Type.Optional(nullable(Type.Boolean())),
    kind: Type.Optional(nullable(Type.Enum([...MEMORY_KINDS]))),
    scope: Type.Optional(memoryScope),
  }),
  answers: { 200: { description: "the memory as it is now", schema: Memory } },
  problems: [...written, "not_found"],
});

export const deleteMemory = defineEndpoint({
  id: "deleteMemory",
  method: "DELETE",
  path: "/api/repos/{id}/memories/{mid}",
  summary: "Forget a memory",
  auth: "account",
  takesNoBody: true,
  params: memoryId,
  answers: { 204: { description: "it is forgotten" } },
  problems: [...written, "not_found"],
});
