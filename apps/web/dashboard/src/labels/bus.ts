/** Texts about the messages of a run. */
import type { BusKind, BusRole } from "@triptych/contracts/plain";
import { t } from "../i18n.ts";

export const ROLE_LABELS: Readonly<Record<BusRole, string>> = {
  panel: t("panel"),
  worker: t("worker"),
  scout: t("scout"),
  planner: t("planner"),
  coder: t("coder"),
  reviewer: t("reviewer"),
};

export function roleLabel(role: string): string {
  return Object.entries(ROLE_LABELS).find(([name]) => name === role)?.[1] ?? role;
}

const KIND_LABELS: Readonly<Partial<Record<BusKind, string>>> = {
  plan: t("plan"),
  task: t("task"),
  tool_call: t("tool call"),
  tool_result: t("tool result"),
  review: t("review"),
  verdict: t("verdict"),
  memory_proposal: t("memory proposal"),
  candidate: t("candidate"),
  error: t("error"),
};

/** Label of a message of the bus. */
export function kindLabel(kind: BusKind): string {
  return KIND_LABELS[kind] ?? kind;
}
