/** Events of a panel, and what a message says about them. */
import { createHash } from "node:crypto";

export const EVENT_TYPES = [
  "run.pr_opened",
  "run.failed",
  "run.attention",
  "run.follow_up_exhausted",
  "candidate.proposed",
  "worker.offline",
  "quota.near",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** `notify.test` is sent by `triptych notify test` only. */
export type MessageType = EventType | "notify.test";

export interface NotifyEvent {
  /** Equal for equal events: receivers recognize a repeated message by it. */
  readonly id: string;
  readonly type: MessageType;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Name of the repository; null for events of workers and quotas. */
  readonly repo: string | null;
  /** One line. */
  readonly title: string;
  readonly text: string;
  /** Path of the page in the dashboard. */
  readonly path: string;
  /** `data` of the webhook payload. */
  readonly data: Readonly<Record<string, unknown>>;
}

export const TITLE_MAX = 150;
export const TEXT_MAX = 1_000;

/** Without a dot, which separates the parts of a signed webhook. */
export function eventId(type: MessageType, ...subject: readonly string[]): string {
  const digest = createHash("sha256").update(JSON.stringify([type, ...subject]));
  return `msg_${digest.digest("hex").slice(0, 32)}`;
}

/** One line of a text from a repository or an agent. */
export function lineOf(text: string, max: number): string {
  // Control characters and marks that change the direction of text are what it removes.
  // oxlint-disable-next-line no-control-regex
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\s]+/g, " ").trim();
  const characters = Array.from(line);
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join("")}…`;
}
