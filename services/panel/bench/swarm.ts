/** Parent side of a swarm of workers in a separate process. */
import { fork } from "node:child_process";
import { once } from "node:events";

export type SwarmRequest =
  | {
      readonly kind: "connect";
      readonly url: string;
      readonly licenseKey: string;
      readonly name: string;
      readonly count: number;
    }
  /** This many workers stop reading and acknowledging. */
  | { readonly kind: "stall"; readonly count: number }
  /** Whether runs are kept or failed immediately. */
  | { readonly kind: "keep"; readonly keeps: boolean }
  | { readonly kind: "holding" };

/** Times are milliseconds since 1970, with fractions. */
export type SwarmMessage =
  | { readonly kind: "connected"; readonly count: number }
  | { readonly kind: "stalled" }
  | { readonly kind: "stored" }
  | { readonly kind: "holding"; readonly runs: readonly (readonly [runId: string, epoch: number])[] }
  /** Number of workers and the time of the last one. */
  | { readonly kind: "rotated"; readonly count: number; readonly at: number }
  | { readonly kind: "assigned"; readonly runId: string; readonly epoch: number; readonly at: number };

type MessageOf<K extends SwarmMessage["kind"]> = Extract<SwarmMessage, { readonly kind: K }>;

export interface Swarm extends AsyncDisposable {
  send(request: SwarmRequest): void;
  /** The next message of this kind for which `fits` is true. */
  next<K extends SwarmMessage["kind"]>(kind: K, fits?: (message: MessageOf<K>) => boolean): Promise<MessageOf<K>>;
  /** Collects messages of this kind until `stop`. */
  collect<K extends SwarmMessage["kind"]>(kind: K): { readonly messages: readonly MessageOf<K>[]; stop(): void };
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
    send: (request) => void child.send(request),
    next(kind, fits = () => true) {
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`no ${kind} message within ${MISSED_MS} ms`)), MISSED_MS);
        const onMessage = (message: SwarmMessage) => {
          if (!isOf(kind, message) || !fits(message)) return;
          clearTimeout(late);
          child.off("message", onMessage);
          resolve(message);
        };
        child.on("message", onMessage);
      });
    },
    collect(kind) {
      const messages: MessageOf<typeof kind>[] = [];
      const onMessage = (message: SwarmMessage) => {
        if (isOf(kind, message)) messages.push(message);
      };
      child.on("message", onMessage);
      return { messages, stop: () => void child.off("message", onMessage) };
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

function isOf<K extends SwarmMessage["kind"]>(kind: K, message: SwarmMessage): message is MessageOf<K> {
  return message.kind === kind;
}
