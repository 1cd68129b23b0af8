/**
 * One event stream per tab: each hint invalidates queries. A busy run sends several hints per second, so list reads are throttled and
 * known revisions are skipped. Without the stream, visible queries are polled every 5 s.
 */
import type { QueryClient, QueryState } from "@tanstack/react-query";
import { followStream } from "./follow-stream.ts";
import { noteLive, reach } from "./connection-status.ts";
import { session } from "./session.ts";
import { call } from "./call.ts";
import { getSession } from "./endpoints.ts";

interface Hint {
  readonly type: "run" | "bus" | "repo" | "memory" | "worker" | "candidate";
  readonly id: string;
  readonly repo_id: string | null;
  readonly revision: number | null;
}

const LISTS_MS = 500;
const POLL_MS = 5_000;

export function followChanges(queries: QueryClient): () => void {
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Hints are not replayed, so data from before may be stale. */
  let receivingSince = Date.now();

  const stop = followStream({
    address: () => "/api/changes",
    onOpen: () => {
      noteLive(true);
      const mayBeOld = ({ dataUpdatedAt, fetchStatus }: QueryState) =>
        fetchStatus === "idle" && dataUpdatedAt < receivingSince;
      void queries.invalidateQueries({ predicate: ({ state }) => mayBeOld(state) });
    },
    onLost: () => {
      noteLive(false);
      receivingSince = Infinity;
    },
    onRefused: () => {
      if (session.get().kind === "in") void call(getSession, {}).catch(() => undefined);
    },
    onMessage: ({ data }) => {
      for (const key of staleBy(JSON.parse(data) as Hint, queries)) waiting.add(JSON.stringify(key));
      timer ??= setTimeout(() => {
        timer = undefined;
        const keys = [...waiting];
        waiting.clear();
        for (const key of keys) void queries.invalidateQueries({ queryKey: JSON.parse(key) as string[] });
      }, LISTS_MS);
    },
  });
  const poll = setInterval(() => {
    if (!reach.get().isLive && !document.hidden && session.get().kind === "in") void queries.invalidateQueries();
  }, POLL_MS);
  return () => {
    stop();
    clearInterval(poll);
    clearTimeout(timer);
    noteLive(false);
  };
}

/** Query keys that a hint invalidates. The bus has its own stream. */
export function staleBy(
  { type, id, repo_id, revision }: Hint,
  queries: Pick<QueryClient, "getQueryData">,
): readonly (readonly string[])[] {
  const ofRepo = repo_id === null ? [] : [["repo", repo_id], ["repos"]];
  switch (type) {
    case "bus":
      return [];
    case "run": {
      const cached = queries.getQueryData<{ readonly revision: number }>(["run", id]);
      const isCached = cached !== undefined && revision !== null && cached.revision >= revision;
      return [...(isCached ? [] : [["run", id]]), ["runs"], ...ofRepo, ["account"], ["workers"]];
    }
    case "repo":
      return [["repo", id], ["repos"]];
    case "memory":
      return [["memories", repo_id ?? id], ...ofRepo];
    case "worker":
      return [["workers"]];
    case "candidate":
      return [["candidates", repo_id ?? id], ...ofRepo];
  }
}
