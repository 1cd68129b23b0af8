/**
 * The API cannot undo a rejection, so it is sent after some seconds without an undo. Until then the candidate is only hidden; closing the
 * tab sends it.
 */
import type { Candidate } from "@triptych/contracts";
import { call } from "../../api/call.ts";
import { rejectCandidate } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { notify, UNDO_MS } from "../../layout/toast.tsx";
import { createStore } from "../../store.ts";
import { errorMessageOf } from "../../components/error-message.tsx";
import { t } from "../../i18n.ts";

export const leaving = createStore<ReadonlySet<string>>(new Set());
const waiting = new Map<string, () => void>();

export type RejectKind = "always" | "major" | "snooze";

const SNOOZE_MS = 30 * 24 * 60 * 60 * 1_000;

export function rejectLater(candidate: Candidate, kind: RejectKind, reason: string): void {
  const { id, title } = candidate;
  leaving.set(new Set(leaving.get()).add(id));
  const timer = setTimeout(send, UNDO_MS);
  waiting.set(id, send);
  const takeAway = notify(
    kind === "snooze" ? t("Snoozed for 30 days: {title}", { title }) : t("Rejected: {title}", { title }),
    () => {
      settle();
      show(id);
    },
  );

  function settle(): void {
    clearTimeout(timer);
    waiting.delete(id);
    takeAway();
  }
  function send(): void {
    settle();
    const body = { ...scopeOf(kind, Date.now()), ...(reason !== "" && { reason }) };
    void call(rejectCandidate, { params: { id }, body })
      .catch((error: unknown) =>
        notify(t("Not rejected: {title}. {detail}", { title, detail: errorMessageOf(error).detail })),
      )
      .then(() => queries.invalidateQueries({ queryKey: ["candidates", candidate.repo_id] }))
      .finally(() => show(id));
  }
}

export function scopeOf(kind: RejectKind, now: number) {
  return kind === "snooze" ? { until: new Date(now + SNOOZE_MS).toISOString() } : { scope: kind };
}

function show(id: string): void {
  const rest = new Set(leaving.get());
  rest.delete(id);
  leaving.set(rest);
}

addEventListener("pagehide", () => {
  for (const send of waiting.values()) send();
});
