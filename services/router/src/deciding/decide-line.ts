/** Sends one decision request, with retries, and reads its cost. */
import { createClient, ProblemError } from "@triptych/client";
import type { route } from "@triptych/contracts";
import { isRecord } from "@triptych/util";
import type { DecisionAddress } from "./address.ts";
import { ENDPOINTS, type Api } from "./wires.ts";

export interface Decided {
  readonly body: unknown;
  /** ID of the charge; null for a free decision. A replay has the ID of the original charge. */
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
  /** Retries per request; enough for a server restart, which takes a few seconds. */
  readonly retries?: number;
}

/** About a minute, with the client's delays. */
const RETRIES = 9;
const LONGEST_WAIT_MS = 60_000;

export function createLineDecider({ address, api, signal, retries = RETRIES }: DeciderOptions): LineDecider {
  const { url, headers, priceMicro } = address;
  const client = createClient({ url, headers, retries, longestWaitMs: LONGEST_WAIT_MS });
  // The endpoint's schema has accepted the body, and the three APIs do not differ in what the client reads.
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

/** A message for people: the server's message with its issues. */
export function decisionErrorText(error: unknown): string {
  if (!(error instanceof ProblemError)) return error instanceof Error ? error.message : String(error);
  const foreign: unknown = Object.entries(error.body).find(([name]) => name === "error")?.[1];
  const message = error.code === "unknown" && isRecord(foreign) ? String(foreign["message"]) : error.message;
  return `${message}${error.errors.map((issue) => `\n  ${issue.path}: ${issue.message}`).join("")}`;
}
