/** A destination of messages. It makes one attempt; `delivery.ts` decides about the next. */
import type { NotifyEvent } from "../event.ts";

export interface Target {
  /** Equal while type and address in the rules are equal; a rotated secret does not change it. */
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
  /** The target rejects this message; others may pass. */
  | { readonly kind: "refused"; readonly error: string }
  /** The target accepts nothing at present. */
  | { readonly kind: "unavailable"; readonly error: string; readonly retryAfterMs: number | null }
  /** The target asks for no further attempt. */
  | { readonly kind: "gone"; readonly error: string };
