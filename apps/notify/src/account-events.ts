/** Events of workers and quotas. */
import type { Account, Worker } from "@triptych/contracts";
import { eventId, lineOf, TITLE_MAX, type NotifyEvent } from "./event.ts";

/** Restarting a panel or a worker takes less time, and is not reported. */
const OFFLINE_AFTER_MS = 60_000;
const NEAR_SHARE = 0.8;

/** Null until the worker has been offline long enough. One event per disconnection. */
export function eventOfWorker(worker: Worker, now: number): NotifyEvent | null {
  const { id, name, health, last_seen_at, version } = worker;
  const at = Date.parse(last_seen_at);
  if (health !== "offline" || now - at < OFFLINE_AFTER_MS) return null;
  return {
    id: eventId("worker.offline", id, last_seen_at),
    type: "worker.offline",
    at,
    repo: null,
    title: lineOf(`Worker ${name} is offline`, TITLE_MAX),
    text: `Last seen at ${last_seen_at}.`,
    path: "/workers",
    data: { worker: { id, name, health, version, last_seen_at } },
  };
}

/** Quotas of which at least 80 % are used. One event per period. */
export function eventsOfQuotas({ id, usage, plan }: Account, now: number): readonly NotifyEvent[] {
  const { limits } = plan;
  const today = new Date(now).toISOString().slice(0, 10);
  return [
    { quota: "runs_per_month", used: usage.runs, limit: limits.runs_per_month, period: usage.period_start },
    { quota: "explores_per_day", used: usage.explores_today, limit: limits.explores_per_day, period: today },
    { quota: "repos", used: usage.repos, limit: limits.repos, period: String(limits.repos) },
  ]
    .filter(({ used, limit }) => limit > 0 && used >= NEAR_SHARE * limit)
    .map(({ quota, used, limit, period }) => ({
      id: eventId("quota.near", id, quota, period),
      type: "quota.near",
      at: now,
      repo: null,
      title: `Quota ${quota}: ${used} of ${limit} used`,
      text: `Plan ${plan.id}. Requests beyond the quota are rejected.`,
      path: "/account",
      data: { quota: { name: quota, used, limit, plan: plan.id } },
    }));
}
