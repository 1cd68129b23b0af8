/** The pull request of a run as its Git host reports it, and the runs that repair it. */
import { useMutation } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import type { Run } from "@triptych/contracts";
import { FOLLOW_UP_CAUSES, type FollowUpCause } from "@triptych/contracts/plain";
import { useState } from "react";
import { call, clickKey } from "../../api/call.ts";
import { followUpRun } from "../../api/endpoints.ts";
import { Dialog } from "../../components/dialog.tsx";
import { ErrorMessage } from "../../components/error-message.tsx";
import { errorAt, Field, hasOnlyFieldErrors } from "../../components/field.tsx";
import { typed } from "../../components/form-text.ts";
import { DefinitionPair } from "../../components/stat-values.tsx";
import { StateLabel } from "../../components/state.tsx";
import { SubmitForm } from "../../components/submit-form.tsx";
import { Table, type Column } from "../../components/table.tsx";
import { plainText } from "../../labels/plain-text.ts";
import {
  CAUSE_LABELS,
  causeOf,
  describeChecks,
  followUpRefusal,
  followUpState,
  MERGE_LABELS,
  REVIEW_LABELS,
} from "../../labels/pull-requests.ts";
import { endTone } from "../../labels/runs.ts";
import { ProblemLink } from "../repo/run-form.tsx";
import { t } from "../../i18n.ts";
import { rich } from "../../components/rich.tsx";

export function PullRequest({ run }: { readonly run: Run }) {
  const { pr, trigger } = run;
  if (trigger.parent_run_id !== null)
    return (
      <p>
        {rich(t("Repairs pull request #{number} of <run>the run that opened it</run>."), {
          number: trigger.pr_number,
          run: <Link to="/runs/$id" params={{ id: trigger.parent_run_id ?? "" }} />,
        })}
      </p>
    );
  if (pr === null) return null;
  return (
    <section className="pull-request" aria-label={t("Pull request")}>
      <PrHealth pr={pr} />
      <FollowUps run={run} />
      {pr.state === "open" ? <FollowUpButton run={run} /> : null}
    </section>
  );
}

function PrHealth({ pr }: { readonly pr: NonNullable<Run["pr"]> }) {
  if (pr.state !== "open") return null;
  const checks = describeChecks(pr.checks.state);
  const merge = MERGE_LABELS[`${pr.mergeable}`];
  const review = REVIEW_LABELS[pr.review];
  return (
    <dl className="pr-health">
      <DefinitionPair name={t("Checks")}>
        <StateLabel tone={checks.tone}>{checks.text}</StateLabel>
        {pr.checks.failed.map((name) => (
          <bdi key={name} className="kind">
            {plainText(name)}
          </bdi>
        ))}
      </DefinitionPair>
      <DefinitionPair name={t("Merge")}>
        <StateLabel tone={merge.tone}>{merge.text}</StateLabel>
      </DefinitionPair>
      <DefinitionPair name={t("Review")}>
        <StateLabel tone={review.tone}>{review.text}</StateLabel>
      </DefinitionPair>
    </dl>
  );
}

const COLUMNS: readonly Column[] = [{ name: t("State") }, { name: t("Follow-up"), isWide: true }];

function FollowUps({ run }: { readonly run: Run }) {
  if (run.follow_ups.length === 0) return null;
  return (
    <Table caption={t("Follow-up runs")} columns={COLUMNS}>
      {run.follow_ups.map(({ run_id: id, cause, state }, index) => (
        <tr key={id} className="opens">
          <td className="fit">
            <StateLabel tone={endTone(state)}>{followUpState(state)}</StateLabel>
          </td>
          <td className="wide">
            <Link to="/runs/$id" params={{ id }} className="row-link">
              {index + 1}. {CAUSE_LABELS[cause]}
            </Link>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function FollowUpButton({ run }: { readonly run: Run }) {
  const [isStarting, start] = useState(false);
  const refusal = followUpRefusal(run);
  return (
    <div>
      <button type="button" disabled={refusal !== null} title={refusal ?? undefined} onClick={() => start(true)}>
        {t("Start a follow-up")}
      </button>
      {isStarting ? (
        <Dialog
          title={t("Follow-up on pull request #{number}", { number: run.pr?.number ?? "" })}
          onClose={() => start(false)}
          isWide
        >
          <FollowUpForm run={run} />
        </Dialog>
      ) : null}
    </div>
  );
}

function FollowUpForm({ run }: { readonly run: Run }) {
  const navigate = useNavigate();
  const starting = useMutation({
    mutationFn: async (sent: FormData) => {
      const focus = typed(sent, "focus").trim();
      const body = { cause: causeOf(typed(sent, "cause")), ...(focus !== "" && { focus }) };
      return (await call(followUpRun, { params: { id: run.id }, body, idempotencyKey: clickKey() })).body;
    },
    onSuccess: (made) => navigate({ to: "/runs/$id", params: { id: made.id } }),
  });
  return (
    <SubmitForm sending={starting}>
      <Field
        label={t("Cause")}
        error={errorAt(starting.error, "/cause")}
        hint={t("The agent gets what the Git host last reported about it: logs of failed checks, or review comments.")}
      >
        {(inputProps) => (
          <select {...inputProps} name="cause" defaultValue={suggestedCause(run)}>
            {FOLLOW_UP_CAUSES.map((cause) => (
              <option key={cause} value={cause}>
                {CAUSE_LABELS[cause]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label={t("Focus of this run")}
        error={errorAt(starting.error, "/focus")}
        hint={t("Empty: derived from the cause. The run pushes one commit to the branch of the pull request.")}
      >
        {(inputProps) => <textarea {...inputProps} name="focus" rows={3} maxLength={4000} />}
      </Field>
      {starting.error === null || hasOnlyFieldErrors(starting.error, ["/cause", "/focus"]) ? null : (
        <>
          <ErrorMessage error={starting.error} />
          <ProblemLink error={starting.error} />
        </>
      )}
      <button type="submit" className="primary" disabled={starting.isPending}>
        {starting.isPending ? t("Starting…") : t("Start follow-up")}
      </button>
    </SubmitForm>
  );
}

function suggestedCause({ pr }: Run): FollowUpCause {
  if (pr?.mergeable === false) return "conflict";
  return pr?.checks.state !== "failed" && pr?.review === "changes_requested" ? "review" : "checks";
}
