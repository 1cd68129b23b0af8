export interface SpawnRequest {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  /** The complete environment: nothing is inherited. Without `PATH`, `program` must be a path. */
  readonly environment: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array | undefined;
  readonly timeoutMs: number;
  /** Output limit in bytes; a program that exceeds it is killed. */
  readonly outputBytes: number;
}

export type Ended = How & {
  readonly printed: Buffer;
  /** The last 4,096 characters of standard error. */
  readonly stderr: string;
};

/** `stopped`: the caller's signal was aborted. */
export type CutReason = "time" | "output" | "stopped";

type How =
  | { readonly how: "exited"; readonly code: number }
  | { readonly how: "killed"; readonly signal: string }
  | { readonly how: "cut"; readonly why: CutReason }
  | { readonly how: "not_started"; readonly why: string };

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
