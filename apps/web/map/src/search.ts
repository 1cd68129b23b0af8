/** The results of the page. A new search aborts the previous one, so stale responses never overwrite newer ones. */
import { VersionChanged, type Api } from "./api.ts";
import type { Plan } from "./layout.ts";
import { allTheRest, isCheap, isComplete, nextPage, search, type Results } from "./results.ts";
import type { ViewState } from "./view-state.ts";

export interface Session {
  readonly api: Api;
  readonly plan: Plan;
}

interface SearchOptions {
  session(): Session | null;
  view(): ViewState;
  onBusy(busy: boolean): void;
  onFound(results: Results): void;
  /** More items of the same search. */
  onMore(): void;
  /** The first results, with all points if they are few. */
  onSettled(): void;
  onProblem(error: unknown, retry: () => void): void;
  onRenewed(): void;
}

export type Search = ReturnType<typeof createSearch>;

export function createSearch({ session, view, onProblem, ...on }: SearchOptions) {
  let results: Results | null = null;
  let running = new AbortController();

  async function refresh(): Promise<void> {
    const current = session();
    if (current === null) return;
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const isPro = current.plan === "pro";
    on.onBusy(true);
    try {
      const found = await search(current.api, view(), { geo: isPro, signal });
      if (signal.aborted) return;
      results = found;
      on.onFound(found);
      if (isPro && isCheap(found) && !isComplete(found)) await loadAll();
      if (!signal.aborted) on.onSettled();
    } catch (error) {
      if (!signal.aborted) onProblem(error, () => void refresh());
    } finally {
      if (!signal.aborted) on.onBusy(false);
    }
  }

  /** Adds to the results. False if another search has begun, or after a problem. */
  async function extend(
    retry: () => void,
    add: (current: Session, from: Results, signal: AbortSignal) => Promise<Results>,
  ): Promise<boolean> {
    const current = session();
    if (current === null || results === null) return false;
    const { signal } = running;
    try {
      const extended = await add(current, results, signal);
      if (signal.aborted) return false;
      results = extended;
      on.onMore();
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (error instanceof VersionChanged) await renew(current);
      else onProblem(error, retry);
      return false;
    }
  }

  /** Rows of two versions would repeat and miss items, so after an import the list restarts with a notice. */
  async function renew({ api }: Session): Promise<void> {
    api.invalidatePages();
    await refresh();
    on.onRenewed();
  }

  async function loadAll(): Promise<void> {
    await extend(
      () => void loadAll(),
      ({ api }, from, signal) =>
        allTheRest(api, view(), {
          results: from,
          signal,
          onPart(part) {
            if (signal.aborted) return;
            results = part;
            on.onMore();
          },
        }),
    );
  }

  return {
    refresh,
    loadAll,
    loadPage: (retry: () => void) =>
      extend(retry, ({ api, plan }, from, signal) => nextPage(api, view(), from, { geo: plan === "pro", signal })),
    results: () => results,
    clear(): void {
      running.abort();
      results = null;
    },
  };
}
