/**
 * Simulates time with a heap of events and their processes. A step takes the earliest event and runs whatever waits for
 * it to the next await, so a crash between steps is a crash at an await. Events of a dead process are dropped. Events
 * of a paused process run in order when it wakes.
 */
import type { Chance } from "./random.ts";

export interface Process {
  readonly name: string;
  alive: boolean;
  /** Its events wait until this time. */
  pausedUntil: number;
}

export interface World {
  readonly chance: Chance;
  /** Milliseconds since the start, with fractions. Only clocks that jump explicitly deviate from it. */
  readonly now: number;
  /** Number of the current step. */
  readonly step: number;
  /** Number of actions at awaits, by name: the coverage of a run. */
  readonly seen: Map<string, number>;
  start(name: string): Process;
  /** Runs `act` after `ms` milliseconds if the process is still alive then. */
  after(ms: number, process: Process | null, act: () => void): () => void;
  /** Like `after`, as a promise. */
  pause(ms: number, process: Process | null): Promise<void>;
  note(what: string): void;
  /** Runs work in the background. An exception ends the run. */
  run(work: Promise<unknown>): void;
  /** The error that ended the run, if any. */
  readonly fault: unknown;
  /** Takes one step; returns false when no events are left. */
  advance(): Promise<boolean>;
}

interface Happening {
  at: number;
  sequence: number;
  readonly process: Process | null;
  act: (() => void) | null;
}

export function createWorld(chance: Chance): World {
  const heap: Happening[] = [];
  const seen = new Map<string, number>();
  let now = 0;
  let step = 0;
  let sequence = 0;
  let fault: unknown;

  const world: World = {
    chance,
    seen,
    get now() {
      return now;
    },
    get step() {
      return step;
    },
    start: (name) => ({ name, alive: true, pausedUntil: 0 }),
    after(ms, process, act) {
      const happening: Happening = { at: now + Math.max(0, ms), sequence: sequence++, process, act };
      push(heap, happening);
      return () => {
        happening.act = null;
      };
    },
    pause: (ms, process) =>
      new Promise((resolve) => {
        world.after(ms, process, resolve);
      }),
    run: (work) => void work.catch((error: unknown) => (fault ??= error)),
    get fault() {
      return fault;
    },
    note: (what) => void seen.set(what, (seen.get(what) ?? 0) + 1),
    async advance() {
      for (let next = pop(heap); next !== undefined; next = pop(heap)) {
        const { act, process } = next;
        if (act === null || process?.alive === false) continue;
        if (process !== null && process.pausedUntil > next.at) {
          next.at = process.pausedUntil;
          push(heap, next);
          continue;
        }
        now = Math.max(now, next.at);
        step++;
        act();
        await settled();
        if (fault !== undefined) throw fault;
        return true;
      }
      return false;
    },
  };
  return world;
}

/** Resolves when all ready promises have run. It is not a timer: it resumes as soon as nothing else can run. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
}

function push(heap: Happening[], happening: Happening): void {
  let index = heap.push(happening) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (isBefore(heap[parent], happening)) break;
    heap[index] = heap[parent];
    index = parent;
  }
  heap[index] = happening;
}

function pop(heap: Happening[]): Happening | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return first;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
    if (!isBefore(heap[child], last)) break;
    heap[index] = heap[child];
    index = child;
  }
  heap[index] = last;
  return first;
}
