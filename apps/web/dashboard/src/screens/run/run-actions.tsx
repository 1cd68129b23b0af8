import { useNavigate } from "@tanstack/react-router";
import type { Run } from "@triptych/contracts";
import { call } from "../../api/call.ts";
import { cancelRun, openPr, retryRun } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { ActionButton } from "../../components/action-button.tsx";
import { mayCancel } from "../../labels/runs.ts";
import { t } from "../../i18n.ts";
import { rich } from "../../components/rich.tsx";

export function RunActions({ run }: { readonly run: Run }) {
  const navigate = useNavigate();
  const params = { id: run.id };
  const show = (updated: Run) => queries.setQueryData(["run", updated.id], updated);
  const isWithoutPr = run.state === "pushed" && run.phase === "attention";
  return (
    <div className="actions">
      {isWithoutPr ? (
        <ActionButton
          label={t("Create PR")}
          busy={t("Creating…")}
          isPrimary
          act={async (key) => (await call(openPr, { params, body: {}, idempotencyKey: key })).body}
          onDone={show}
        />
      ) : null}
      {run.pr?.state === "closed" ? (
        <ActionButton
          label={t("Reopen PR")}
          busy={t("Reopening…")}
          act={async (key) => (await call(openPr, { params, body: { reopen: true }, idempotencyKey: key })).body}
          onDone={show}
        />
      ) : null}
      {mayCancel(run) ? (
        <ActionButton
          label={run.cancel_requested_at === null ? t("Cancel") : t("Cancelling")}
          busy={t("Cancelling…")}
          refusal={run.cancel_requested_at === null ? null : t("It ends within 10 s.")}
          ask={{
            title: t("Cancel this run?"),
            text: rich(t("The run on <b>{repo}</b> ends within 10 s. Nothing is pushed."), { repo: run.repo_name }),
            yes: t("Cancel run"),
          }}
          isDanger
          act={async () => (await call(cancelRun, { params })).body}
          onDone={show}
        />
      ) : null}
      {run.result?.retryable === true ? (
        <ActionButton
          label={t("verb|Retry")}
          busy={t("Starting…")}
          isPrimary
          act={async (key) => (await call(retryRun, { params, body: {}, idempotencyKey: key })).body}
          onDone={(made) => void navigate({ to: "/runs/$id", params: { id: made.id } })}
        />
      ) : null}
      {run.head_sha === null ? null : (
        <a className="button" href={`/api/runs/${run.id}/diff`} download={`${run.id}.diff`}>
          {t("Download diff")}
        </a>
      )}
      {run.times.pushed_at === null ? null : (
        <a className="button" href={`/api/runs/${run.id}/statement`} download={`${run.id}.statement.json`}>
          {t("Download statement")}
        </a>
      )}
    </div>
  );
}
