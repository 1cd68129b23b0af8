/** A swarm of workers in a process of its own, as its parent commands it. */
import { fork } from "node:child_process";
import { once } from "node:events";

export type SwarmOrder =
  | {
      readonly kind: "connect";
      readonly url: string;
      readonly licenseKey: string;
      readonly name: string;
      readonly count: number;
    }
  /** So many of them neither read nor acknowledge from now on. */
  | { readonly kind: "stall"; readonly count: number }
  /** Whether runs are held from now on, or failed at once. */
  | { readonly kind: "keep"; readonly keeps: boolean }
  | { readonly kind: "holding" };

/** Times are milliseconds since 1970, with fractions. */
export type SwarmWord =
  | { readonly kind: "connected"; readonly count: number }
  | { readonly kind: "stalled" }
  | { readonly kind: "kept" }
  | { readonly kind: "holding"; readonly runs: readonly (readonly [runId: string, epoch: number])[] }
  /** So many, the last of them then. */
  | { readonly kind: "rotated"; readonly count: number; readonly at: number }
  | { readonly kind: "assigned"; readonly runId: string; readonly epoch: number; readonly at: number };

type WordOf<K extends SwarmWord["kind"]> = Extract<SwarmWord, { readonly kind: K }>;

export interface Swarm extends AsyncDisposable {
  order(order: SwarmOrder): void;
  /** The next word of this kind for which `fits` is true. */
  next<K extends SwarmWord["kind"]>(kind: K, fits?: (word: WordOf<K>) => boolean): Promise<WordOf<K>>;
  /** Those of the kind that came since `begin` was called. */
  collect<K extends SwarmWord["kind"]>(kind: K): { readonly words: readonly WordOf<K>[]; stop(): void };
  kill(): Promise<void>;
}

const MISSED_MS = 60_000;

export function startSwarm(): Swarm {
  const child = fork(new URL("./swarm-process.ts", import.meta.url));
  const ended = once(child, "exit");
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return {
    order: (order) => void child.send(order),
    next(kind, fits = () => true) {
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`no word of ${kind} in ${MISSED_MS} ms`)), MISSED_MS);
        const hear = (word: SwarmWord) => {
          if (!isOf(kind, word) || !fits(word)) return;
          clearTimeout(late);
          child.off("message", hear);
          resolve(word);
        };
        child.on("message", hear);
      });
    },
    collect(kind) {
      const words: WordOf<typeof kind>[] = [];
      const hear = (word: SwarmWord) => {
        if (isOf(kind, word)) words.push(word);
      };
      child.on("message", hear);
      return { words, stop: () => void child.off("message", hear) };
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

function isOf<K extends SwarmWord["kind"]>(kind: K, word: SwarmWord): word is WordOf<K> {
  return word.kind === kind;
}
