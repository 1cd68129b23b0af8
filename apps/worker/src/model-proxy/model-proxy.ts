/**
 * The one way from an agent to its model: a proxy of the worker that holds the model's key, lets calls to that model through and no
 * others, counts what they use from the model's own answers, and refuses the next call once a cap of the run is reached. What an
 * agent claims to have used does not matter to it.
 */
import type { Usage } from "../agents/agent.ts";
import type { RunCode } from "../run-request.ts";

/** A model's host as the worker's environment names it. */
export interface Provider {
  readonly id: string;
  /** Without a slash at its end: what an agent asks for below `addressOf(id)` is asked for below this. */
  readonly baseUrl: string;
  readonly key: string | null;
  readonly keyHeader: "authorization" | "x-api-key" | "x-goog-api-key";
}

export interface ModelProxy extends AsyncDisposable {
  /** As the agent sees it from inside; null: there is no such provider here. */
  addressOf(provider: string): string | null;
  /** What the agent sends in place of the key. */
  readonly pass: string;
  /** Of the whole run so far. */
  spent(): Usage;
  /** At least one answer did not say what it used: its tokens were estimated from its bytes. */
  readonly isEstimated: boolean;
  /** The cap that was reached. */
  readonly broken: CapCode | null;
}

export type CapCode = Extract<RunCode, "cost_cap" | "token_cap" | "turn_cap">;
