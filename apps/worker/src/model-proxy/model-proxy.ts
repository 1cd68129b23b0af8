/**
 * An agent's only access to its model: adds the key, allows calls to that model only, counts usage from the responses, and refuses calls
 * after a cap is reached.
 */
import type { Usage } from "../run/usage.ts";
import type { RunCode } from "../run/run-request.ts";

/** A model host from the worker's environment. */
export interface Provider {
  readonly id: string;
  /** Without a trailing slash: paths below `addressOf(id)` are forwarded below this address. */
  readonly baseUrl: string;
  readonly key: string | null;
  readonly keyHeader: "authorization" | "x-api-key" | "x-goog-api-key";
}

export interface ModelProxy extends AsyncDisposable {
  /** The address inside the sandbox; null if this worker has no such provider. */
  addressOf(provider: string): string | null;
  /** The token that the agent sends instead of the key. */
  readonly pass: string;
  spent(): Usage;
  /** At least one response reported no usage: its tokens were estimated from its bytes. */
  readonly isEstimated: boolean;
  readonly broken: CapCode | null;
}

export type CapCode = Extract<RunCode, "cost_cap" | "token_cap" | "turn_cap">;
