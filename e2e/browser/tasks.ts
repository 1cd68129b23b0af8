/** Main thread tasks of a page, from the browser's trace: elapsed and CPU time of each. Other load changes CPU time less. */
import type { Page } from "playwright-core";

export interface Tasks {
  /** Elapsed milliseconds, longest first. */
  readonly lasted: readonly number[];
  /** CPU time, likewise. */
  readonly cost: readonly number[];
  /** Animation frames with a callback of the page. */
  readonly frames: number;
  /** Elapsed, of the whole act. */
  readonly seconds: number;
  /** CPU milliseconds by the name of the innermost event, the largest first. */
  readonly spent: Shares;
  /** CPU milliseconds of the other threads of the same process by their name, the largest first: workers, compositor, rasterizers. */
  readonly besides: Shares;
}

type Shares = readonly (readonly [name: string, ms: number])[];

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const CATEGORIES = ["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel", "__metadata"];
/** Idle blank renderers have one too; the page under test is the busiest renderer. */
const MAIN_THREAD = "CrRendererMain";

export async function tasksDuring(page: Page, act: () => Promise<unknown>): Promise<Tasks> {
  const browser = page.context().browser();
  if (browser === null) throw new Error("the page has no own browser");
  await browser.startTracing(page, { categories: CATEGORIES });
  const begun = performance.now();
  await act();
  const seconds = (performance.now() - begun) / 1000;
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const mains = traceEvents
    .filter(({ name, args }) => name === "thread_name" && args?.name === MAIN_THREAD)
    .map(({ pid, tid }) => tasksOf(traceEvents, pid, tid));
  const busiest = mains.toSorted((one, other) => sum(other.cost) - sum(one.cost))[0];
  if (busiest === undefined) throw new Error("the trace names no main thread");
  return { ...busiest, seconds };
}

function tasksOf(events: readonly TraceEvent[], pid: number, tid: number): Omit<Tasks, "seconds"> {
  const complete = events.filter((event) => event.pid === pid && event.ph === "X");
  const own = complete.filter((event) => event.tid === tid);
  const tasks = outermost(own.filter(isTask));
  const inOrder = (figures: readonly number[]) =>
    figures.map((micro) => micro / 1_000).toSorted((one, other) => other - one);
  return {
    lasted: inOrder(tasks.map(({ dur = 0 }) => dur)),
    cost: inOrder(tasks.map(({ tdur = 0 }) => tdur)),
    frames: own.filter(({ name }) => name === "FireAnimationFrame").length,
    spent: spentBy(own),
    besides: besides(events, complete, { pid, tid }),
  };
}

function isTask({ name }: TraceEvent): boolean {
  return name.endsWith("RunTask");
}

/** Threads of one name are added up. */
function besides(
  events: readonly TraceEvent[],
  complete: readonly TraceEvent[],
  { pid, tid }: Pick<TraceEvent, "pid" | "tid">,
): Shares {
  const names = new Map(
    events.flatMap((event) =>
      event.name === "thread_name" && event.pid === pid ? [[event.tid, event.args?.name ?? ""] as const] : [],
    ),
  );
  const spent = new Map<string, number>();
  for (const event of outermost(complete.filter((task) => task.tid !== tid && isTask(task)))) {
    const name = (names.get(event.tid) ?? "unnamed").replace(/\d+$/, "");
    spent.set(name, (spent.get(name) ?? 0) + (event.tdur ?? 0) / 1_000);
  }
  return [...spent].toSorted(([, one], [, other]) => other - one);
}

/** Tasks inside a task are in its time already. */
function outermost(events: readonly TraceEvent[]): TraceEvent[] {
  const ends = new Map<number, number>();
  return events
    .toSorted((one, other) => one.ts - other.ts || (other.dur ?? 0) - (one.dur ?? 0))
    .filter((event) => {
      if (event.ts < (ends.get(event.tid) ?? 0)) return false;
      ends.set(event.tid, endOf(event));
      return true;
    });
}

/** Sums the time of events by name, without the events inside them. */
function spentBy(events: readonly TraceEvent[]): Tasks["spent"] {
  const spent = new Map<string, number>();
  const add = (name: string, micro: number) => spent.set(name, (spent.get(name) ?? 0) + micro / 1_000);
  const around: TraceEvent[] = [];
  const inOrder = events.toSorted((one, other) => one.ts - other.ts || (other.dur ?? 0) - (one.dur ?? 0));
  for (const event of inOrder) {
    const { name, ts, tdur = 0 } = event;
    while (around.length > 0 && ts >= endOf(around.at(-1))) around.pop();
    const outer = around.at(-1);
    if (outer !== undefined) add(outer.name, -tdur);
    add(name, tdur);
    around.push(event);
  }
  return [...spent].toSorted(([, one], [, other]) => other - one);
}

function endOf(event: TraceEvent | undefined): number {
  return event === undefined ? 0 : event.ts + (event.dur ?? 0);
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

/** A percentile of figures sorted longest first. */
export function quantile(longestFirst: readonly number[], share: number): number {
  return longestFirst[Math.floor((1 - share) * longestFirst.length)] ?? 0;
}
