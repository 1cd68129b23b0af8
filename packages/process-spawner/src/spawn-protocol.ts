/** What is asked of the fork server, and what it answers. */

export interface SpawnRequest {
  readonly program: string;
  readonly args: readonly string[];
  /** Where it runs. */
  readonly folder: string;
  /** All of it: a program inherits nothing. Without `PATH`, `program` is a path. */
  readonly environment: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array | undefined;
  readonly timeoutMs: number;
  /** It may print so many bytes; one more, and it is killed. */
  readonly outputBytes: number;
}

export type Ended = How & {
  readonly printed: Buffer;
  /** The last 4,096 characters of its standard error. */
  readonly stderr: string;
};

/** `stopped`: by the signal that came with the order. */
export type CutReason = "time" | "output" | "stopped";

type How =
  | { readonly how: "exited"; readonly code: number }
  | { readonly how: "killed"; readonly signal: string }
  | { readonly how: "cut"; readonly why: CutReason }
  | { readonly how: "not_started"; readonly why: string };

/** An order, or that the program of an earlier one is to be stopped. */
export type SpawnerMessage =
  | { readonly id: number; readonly request: SpawnRequest }
  | { readonly id: number; readonly stop: true };

export interface Result {
  readonly id: number;
  readonly ended: Ended;
}

export function spawnFailed(why: string): Ended {
  return { how: "not_started", why, printed: Buffer.alloc(0), stderr: "" };
}
