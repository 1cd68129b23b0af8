/** Events of a panel, and the content of their messages. */
import { createHash } from "node:crypto";
import { isRecord, truncate } from "@triptych/util";

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
  /** The same event always has the same ID, so that receivers recognize a repeated message. */
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

/** Contains no dot, because dots separate the parts that a webhook signs. */
export function eventId(type: MessageType, ...subject: readonly string[]): string {
  const digest = createHash("sha256").update(JSON.stringify([type, ...subject]));
  return `msg_${digest.digest("hex").slice(0, 32)}`;
}

/** Control characters, invisible characters, and characters that change the text direction. */
const UNPRINTABLE = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069\s]+/gu;

/** Turns a text from a repository or an agent into one line. */
export function lineOf(text: string, max: number): string {
  return truncate(text.replaceAll(UNPRINTABLE, " ").trim(), max);
}

/** URL of the run's pull request; null if there is none that a browser can open. */
export function pullRequestIn({ run }: NotifyEvent["data"]): string | null {
  const pr = isRecord(run) ? run["pr"] : null;
  const url = isRecord(pr) ? pr["url"] : null;
  return typeof url === "string" && /^https?:\/\//.test(url) ? url : null;
}
