import { Link } from "@tanstack/react-router";
import { ProblemError } from "@triptych/client";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Repo } from "@triptych/contracts";
import { call, clickKey } from "../../api/call.ts";
import { startRun } from "../../api/endpoints.ts";
import { Field, errorAt, hasOnlyFieldErrors } from "../../components/field.tsx";
import { typed } from "../../components/form-text.ts";
import { ErrorMessage } from "../../components/error-message.tsx";
import { StartWarning } from "../../components/start-warning.tsx";
import { SubmitForm } from "../../components/submit-form.tsx";
import { t } from "../../i18n.ts";

interface RunFormProps {
  readonly repo: Repo;
  /** The page already shows the warning. */
  readonly isWarned?: boolean;
}

export function RunForm({ repo, isWarned = false }: RunFormProps) {
  const navigate = useNavigate();
  const starting = useMutation({
    mutationFn: async (sent: FormData) => {
      const focus = typed(sent, "focus").trim();
      const body = { ...(focus !== "" && focus !== repo.focus && { focus }) };
      return (await call(startRun, { params: { id: repo.id }, body, idempotencyKey: clickKey() })).body;
    },
    onSuccess: (run) => navigate({ to: "/runs/$id", params: { id: run.id } }),
  });
  return (
    <SubmitForm sending={starting}>
      <Field
        label={t("Focus of this run")}
        error={errorAt(starting.error, "/focus")}
        hint={t("Instructions for this run only; the repository's default is not changed.")}
      >
        {(inputProps) => <textarea {...inputProps} name="focus" rows={3} maxLength={4000} defaultValue={repo.focus} />}
      </Field>
      {isWarned ? null : <StartWarning what={t("This run")} waiting={repo.would_wait.run} />}
      {starting.error === null || hasOnlyFieldErrors(starting.error, ["/focus"]) ? null : (
        <>
          <ErrorMessage error={starting.error} />
          <ProblemLink error={starting.error} />
        </>
      )}
      <button type="submit" className="primary" disabled={starting.isPending}>
        {starting.isPending ? t("Starting…") : t("Start run")}
      </button>
    </SubmitForm>
  );
}

export function ProblemLink({ error }: { readonly error: unknown }) {
  const runId = error instanceof ProblemError ? error.body["run_id"] : undefined;
  return typeof runId === "string" ? (
    <Link to="/runs/$id" params={{ id: runId }}>
      {t("Open that run")}
    </Link>
  ) : null;
}
