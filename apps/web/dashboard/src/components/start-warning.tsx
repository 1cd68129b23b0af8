/** Warns before a start that would have to wait, with the missing requirement and the remedy. */
import type { Repo } from "@triptych/contracts";
import { StateLabel } from "./state.tsx";
import { panelText, t } from "../i18n.ts";

type Waiting = Repo["would_wait"]["run"];

export function StartWarning({ what, waiting }: { readonly what: string; readonly waiting: Waiting }) {
  if (waiting === null) return null;
  return waiting.reasons.map(({ reason, hint }) => (
    <p className="lines" key={reason}>
      <StateLabel tone="attention">{t("{what} would wait: {reason}.", { what, reason: MISSING[reason] })}</StateLabel>{" "}
      {panelText(hint).replaceAll("`", "")}
    </p>
  ));
}

export function isSameWait(one: Waiting, other: Waiting): boolean {
  const reasonsOf = (waiting: Waiting) => waiting?.reasons.map(({ reason }) => reason).join(" ");
  return reasonsOf(one) === reasonsOf(other);
}

const MISSING: Readonly<Record<NonNullable<Waiting>["reason"], string>> = {
  no_worker: t("no worker is connected"),
  no_worker_with_cli: t("no connected worker has the agent"),
  no_worker_with_isolation: t("no connected worker has the required isolation"),
};
