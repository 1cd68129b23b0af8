/** The queries of the panel. A key starts with the resource type, so that a hint finds every query that shows it. */
import { infiniteQueryOptions, keepPreviousData, QueryClient, queryOptions } from "@tanstack/react-query";
import type { Account, BodyOf, QueryOf, Repo, Run } from "@triptych/contracts";
import type * as contract from "@triptych/contracts";
import { call, callForText } from "./call.ts";
import * as endpoints from "./endpoints.ts";

/** Older data is refetched when a screen opens, and marked as stale in the meantime. */
export const FRESH_MS = 10_000;

export const queries = new QueryClient({
  defaultOptions: {
    // The call retries by itself, and the streams catch up when a screen becomes visible.
    queries: {
      retry: false,
      staleTime: FRESH_MS,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

export const accountQuery = queryOptions({
  queryKey: ["account"],
  queryFn: async ({ signal }): Promise<Account> => (await call(endpoints.getAccount, { signal })).body,
});

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: async ({ signal }) => (await call(endpoints.listTokens, { signal })).body.items,
});

export const workersQuery = queryOptions({
  queryKey: ["workers"],
  queryFn: async ({ signal }) => (await call(endpoints.workerStatus, { signal })).body,
});

/** The address of the panel's configuration, and the digest of the worker that it serves. */
export interface WorkerDownload {
  readonly panel: string;
  readonly sha256: string;
}

/** In a clone the first request packs the worker, which takes seconds. */
export const workerDownloadQuery = queryOptions({
  queryKey: ["worker download"],
  staleTime: Infinity,
  queryFn: async ({ signal }): Promise<WorkerDownload> => {
    const { panel, sha256 }: WorkerDownload = JSON.parse((await callForText("/worker/install.json", signal)) ?? "{}");
    return { panel, sha256 };
  },
});

/** Repos have pages of fifty; users of larger accounts filter by name. */
const REPOS_MAX = 200;
export const reposQuery = (filter: QueryOf<typeof contract.listRepos> = {}) =>
  queryOptions({
    queryKey: ["repos", filter],
    queryFn: async ({ signal }) =>
      (await call(endpoints.listRepos, { query: { limit: REPOS_MAX, ...filter }, signal })).body,
    placeholderData: keepPreviousData,
  });

export interface SeenRepo {
  readonly repo: Repo;
  /** Revision, sent as `If-Match` with an update. */
  readonly etag: string;
}

export const repoQuery = (id: string) =>
  queryOptions({
    queryKey: ["repo", id],
    queryFn: async ({ signal }): Promise<SeenRepo> => {
      const { body, headers } = await call(endpoints.getRepo, { params: { id }, signal });
      return { repo: body, etag: headers.get("etag") ?? "" };
    },
  });

export type RunFilter = Omit<QueryOf<typeof contract.listRuns>, "cursor">;
export const runsQuery = (filter: RunFilter) =>
  queryOptions({
    queryKey: ["runs", filter],
    queryFn: async ({ signal }) => (await call(endpoints.listRuns, { query: filter, signal })).body,
    placeholderData: keepPreviousData,
  });

/** Loaded page by page, as far as the user has scrolled. */
export const runPagesQuery = (filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: ["runs", "pages", filter],
    queryFn: async ({ signal, pageParam }) => {
      const query = { ...filter, ...(pageParam !== null && { cursor: pageParam }) };
      return (await call(endpoints.listRuns, { query, signal })).body;
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
  });

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ["run", id],
    queryFn: async ({ signal }): Promise<Run> => (await call(endpoints.getRun, { params: { id }, signal })).body,
  });

export const diffQuery = (id: string, isThere: boolean) =>
  queryOptions({
    queryKey: ["diff", id, isThere],
    queryFn: ({ signal }) => callForText(`/api/runs/${encodeURIComponent(id)}/diff`, signal),
    staleTime: Infinity,
  });

export type CandidateFilter = Omit<QueryOf<typeof contract.listCandidates>, "cursor">;
export const candidatesQuery = (repoId: string, filter: CandidateFilter) =>
  queryOptions({
    queryKey: ["candidates", repoId, filter],
    queryFn: async ({ signal }) =>
      (await call(endpoints.listCandidates, { params: { id: repoId }, query: { limit: 200, ...filter }, signal })).body,
    placeholderData: keepPreviousData,
  });

export const exploreStatsQuery = (repoId: string) =>
  queryOptions({
    queryKey: ["candidates", repoId, "stats"],
    queryFn: async ({ signal }) => (await call(endpoints.getExploreStats, { params: { id: repoId }, signal })).body,
  });

export const memoriesQuery = (repoId: string) =>
  queryOptions({
    queryKey: ["memories", repoId],
    queryFn: async ({ signal }) =>
      (await call(endpoints.listMemories, { params: { id: repoId }, query: { limit: 200 }, signal })).body,
  });

export type CreateRunInput = NonNullable<BodyOf<typeof contract.startRun>>;
