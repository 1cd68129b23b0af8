/** What the project says about contributions made with AI, and the form that overrides it. */
import { useMutation } from "@tanstack/react-query";
import type { Repo } from "@triptych/contracts";
import { AI_OVERRIDE_REASON_MAX } from "@triptych/contracts/plain";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { updateRepo } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { ActionButton } from "../../components/action-button.tsx";
import { ErrorMessage } from "../../components/error-message.tsx";
import { typed } from "../../components/form-text.ts";
import { StateLabel } from "../../components/state.tsx";
import { Ago } from "../../components/stat-values.tsx";
import { SubmitForm } from "../../components/submit-form.tsx";
import { describePolicy } from "../../labels/repos.ts";
import { notify } from "../../layout/toast.tsx";
import { t } from "../../i18n.ts";
import { rich } from "../../components/rich.tsx";

export function AiPolicySection({ repo }: { readonly repo: Repo }) {
  const { ai_policy: policy, id } = repo;
  const [isOverriding, setOverriding] = useState(false);
  const refresh = () => void queries.invalidateQueries({ queryKey: ["repo", id] });
  return (
    <section className="settings-extra" aria-labelledby="ai-policy">
      <h2 id="ai-policy">{t("AI policy")}</h2>
      <div className="fields">
        <PolicyText repo={repo} />
        <p className="soft">
          {policy.checked_at === null
            ? t("Read at the first contact, and before each run.")
            : rich(t("Checked {time}."), { time: <Ago at={policy.checked_at} /> })}
        </p>
        {policy.override === null ? null : (
          <>
            <p className="lines">{t("Overridden: {reason}", { reason: policy.override })}</p>
            <ActionButton
              label={t("Remove override")}
              busy={t("Removing…")}
              act={() => call(updateRepo, { params: { id }, body: { ai_policy: { override: null } } })}
              onDone={refresh}
            />
          </>
        )}
        {policy.stance === "none" || policy.override !== null ? null : isOverriding ? (
          <OverrideForm id={id} onClose={() => setOverriding(false)} onDone={refresh} />
        ) : (
          <button type="button" onClick={() => setOverriding(true)}>
            {t("Override")}
          </button>
        )}
      </div>
    </section>
  );
}

export function PolicyText({ repo }: { readonly repo: Pick<Repo, "ai_policy"> }) {
  const { quote, source } = repo.ai_policy;
  const { tone, text } = describePolicy(repo);
  return (
    <div className="ai-policy">
      <p className="lines">
        <StateLabel tone={tone}>{text}</StateLabel>
      </p>
      {quote === null ? null : (
        <blockquote>
          <p>{quote}</p>
          <footer>
            <code>{source}</code>
          </footer>
        </blockquote>
      )}
    </div>
  );
}

interface OverrideFormProps {
  readonly id: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function OverrideForm({ id, onClose, onDone }: OverrideFormProps) {
  const sending = useMutation({
    mutationFn: (sent: FormData) =>
      call(updateRepo, { params: { id }, body: { ai_policy: { override: typed(sent, "reason") } } }),
    onSuccess: () => {
      notify(t("Policy overridden. Your name and the reason are recorded."));
      onClose();
      onDone();
    },
  });
  return (
    <SubmitForm sending={sending}>
      <label className="field">
        <span>{t("Reason")}</span>
        <input name="reason" required maxLength={AI_OVERRIDE_REASON_MAX} autoComplete="off" />
        <small className="soft">{t("For example: “We maintain this project.” Your email address is recorded.")}</small>
      </label>
      {sending.error === null ? null : <ErrorMessage error={sending.error} />}
      <div className="row">
        <button type="submit" className="primary" disabled={sending.isPending}>
          {sending.isPending ? t("Saving…") : t("Override policy")}
        </button>
        <button type="button" onClick={onClose}>
          {t("Cancel")}
        </button>
      </div>
    </SubmitForm>
  );
}
