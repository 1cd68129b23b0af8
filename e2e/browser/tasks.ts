/** Main thread tasks of a page, from the browser's trace: elapsed and CPU time of each. CPU time does not depend on other load. */
import type { Page } from "playwright-core";

export interface Tasks {
  /** Elapsed milliseconds, longest first. */
  readonly lasted: readonly number[];
  /** CPU time, likewise. */
  readonly cost: readonly number[];
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const CATEGORIES = ["disabled-by-default-devtools.timeline", "toplevel", "__metadata"];
/** Of an idle blank renderer: the page under test is the busiest one. */
const MAIN_THREAD = "CrRendererMain";

export async function tasksDuring(page: Page, act: () => Promise<unknown>): Promise<Tasks> {
  const browser = page.context().browser();
  if (browser === null) throw new Error("the page has no own browser");
  await browser.startTracing(page, { categories: CATEGORIES });
  await act();
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const mains = traceEvents
    .filter(({ name, args }) => name === "thread_name" && args?.name === MAIN_THREAD)
    .map(({ pid, tid }) => tasksOf(traceEvents, pid, tid));
  const busiest = mains.toSorted((one, other) => sum(other.cost) - sum(one.cost))[0];
  if (busiest === undefined) throw new Error("the trace names no main thread");
  return busiest;
}

function tasksOf(events: readonly TraceEvent[], pid: number, tid: number): Tasks {
  const tasks = events.filter(
    (event) => event.pid === pid && event.tid === tid && event.ph === "X" && event.name.endsWith("RunTask"),
  );
  const inOrder = (figures: readonly number[]) =>
    figures.map((micro) => micro / 1_000).toSorted((one, other) => other - one);
  return { lasted: inOrder(tasks.map(({ dur = 0 }) => dur)), cost: inOrder(tasks.map(({ tdur = 0 }) => tdur)) };
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

/** A percentile of figures sorted longest first. */
export function quantile(longestFirst: readonly number[], share: number): number {
  return longestFirst[Math.floor((1 - share) * longestFirst.length)] ?? 0;
}
