/** A destination of messages. `send` makes one attempt; `delivery.ts` schedules the next. */
import type { NotifyEvent } from "../event.ts";

export interface Target {
  /** Stays the same while type and address in the rules stay the same; rotating a secret does not change it. */
  readonly id: string;
  /** For logs and tables: contains no secret. */
  readonly label: string;
  send(message: OutgoingMessage): Promise<Outcome>;
  close?(): void;
}

export interface OutgoingMessage {
  readonly event: NotifyEvent;
  /** Page in the dashboard. */
  readonly link: string;
  /** Time of this attempt, in milliseconds since 1970. */
  readonly now: number;
}

export type Outcome =
  | { readonly kind: "delivered" }
  /** The target rejects this message, but may accept others. */
  | { readonly kind: "refused"; readonly error: string }
  /** The target currently accepts no messages. */
  | { readonly kind: "unavailable"; readonly error: string; readonly retryAfterMs: number | null }
  /** The target asked not to be contacted again. */
  | { readonly kind: "gone"; readonly error: string };
