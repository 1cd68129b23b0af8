/** The repository's credential: write-only, replaced as a whole. */
import { useMutation } from "@tanstack/react-query";
import type { Repo } from "@triptych/contracts";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { updateRepo } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { notify } from "../../layout/toast.tsx";
import { Ago } from "../../components/stat-values.tsx";
import { ErrorMessage } from "../../components/error-message.tsx";
import { SubmitForm } from "../../components/submit-form.tsx";
import { credentialLabel, describeRights } from "../../labels/repos.ts";
import {
  CredentialFields,
  CredentialKind,
  credentialOf,
  type CredentialType,
} from "../../components/credential-fields.tsx";
import { t } from "../../i18n.ts";
import { rich } from "../../components/rich.tsx";

export function CredentialForm({ repo }: { readonly repo: Repo }) {
  const { credential } = repo;
  const [kind, setKind] = useState<CredentialType | null>(null);
  const replacing = useMutation({
    mutationFn: async (sent: FormData) =>
      (await call(updateRepo, { params: { id: repo.id }, body: { credential: credentialOf(kind ?? "none", sent) } }))
        .body,
    onSuccess: () => {
      setKind(null);
      void queries.invalidateQueries({ queryKey: ["repo", repo.id] });
      notify(t("Credential replaced. The panel checks it at the next contact."));
    },
  });
  return (
    <section aria-labelledby="credential" className="settings-extra">
      <h2 id="credential">{t("Credential")}</h2>
      <div className="fields">
        <p>
          {credential.set ? t("Set: {kind}", { kind: credentialLabel(credential.kind) }) : t("Not set")}
          {describeRights(credential)}
          {credential.checked_at === null
            ? "."
            : rich(t(", checked {time}."), { time: <Ago at={credential.checked_at} /> })}
        </p>
        {kind === null ? (
          <button type="button" onClick={() => setKind("token")}>
            {t("Replace")}
          </button>
        ) : (
          <SubmitForm sending={replacing}>
            <CredentialKind kind={kind} onChange={setKind} />
            <CredentialFields kind={kind} />
            {replacing.error === null ? null : <ErrorMessage error={replacing.error} />}
            <div className="row">
              <button type="submit" className="primary" disabled={replacing.isPending}>
                {replacing.isPending ? t("Replacing…") : t("Replace")}
              </button>
              <button type="button" onClick={() => setKind(null)}>
                {t("Cancel")}
              </button>
            </div>
          </SubmitForm>
        )}
      </div>
    </section>
  );
}
