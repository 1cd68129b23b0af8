/** Sends one decision, with retries, and reads what it cost. */
import { createClient, ProblemError } from "@triptych/client";
import type { route } from "@triptych/contracts";
import { isRecord } from "@triptych/util";
import type { DecisionAddress } from "./address.ts";
import { ENDPOINTS, type Api } from "./wires.ts";

export interface Decided {
  readonly body: unknown;
  /** ID of the charge; null for a free decision. A replay repeats it. */
  readonly charge: string | null;
  readonly costMicro: number;
  readonly isReplayed: boolean;
}

export interface LineDecider {
  decide(body: object, idempotencyKey: string): Promise<Decided>;
}

export interface DeciderOptions {
  readonly address: DecisionAddress;
  readonly api: Api;
  readonly signal: AbortSignal;
  /** Retries of one request; a restart of the server takes some seconds. */
  readonly retries?: number;
}

/** With the delays of the client this is about a minute. */
const RETRIES = 9;
const LONGEST_WAIT_MS = 60_000;

export function createLineDecider({ address, api, signal, retries = RETRIES }: DeciderOptions): LineDecider {
  const { url, headers, priceMicro } = address;
  const client = createClient({ url, headers, retries, longestWaitMs: LONGEST_WAIT_MS });
  // The schema of the endpoint has accepted the body; the three APIs differ in nothing that the client reads.
  const endpoint = ENDPOINTS[api] as typeof route;
  return {
    async decide(body, idempotencyKey) {
      const reply = await client.call(endpoint, { body, idempotencyKey, signal });
      const charge = reply.headers.get("x-rail-charge");
      return {
        body: reply.body,
        charge,
        costMicro: charge === null ? 0 : (priceMicro ?? 0),
        isReplayed: reply.headers.get("idempotency-replayed") === "true",
      };
    },
  };
}

/** One text for people: what the server said, with its issues. */
export function decisionErrorText(error: unknown): string {
  if (!(error instanceof ProblemError)) return error instanceof Error ? error.message : String(error);
  const foreign: unknown = Object.entries(error.body).find(([name]) => name === "error")?.[1];
  const message = error.code === "unknown" && isRecord(foreign) ? String(foreign["message"]) : error.message;
  return `${message}${error.errors.map((issue) => `\n  ${issue.path}: ${issue.message}`).join("")}`;
}
