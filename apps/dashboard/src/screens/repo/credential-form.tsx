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
import {
  CredentialFields,
  CredentialKind,
  credentialOf,
  type CredentialType,
} from "../../components/credential-fields.tsx";

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
      notify("Credential replaced. The panel checks it at the next contact.");
    },
  });
  return (
    <section aria-labelledby="credential" className="settings-extra">
      <h2 id="credential">Credential</h2>
      <div className="fields">
        <p>
          {credential.set ? `Set: ${credential.kind.replaceAll("_", " ")}` : "Not set"}
          {credential.push === null ? "" : credential.push ? ", can push" : ", cannot push"}
          {credential.open_pr === null
            ? ""
            : credential.open_pr
              ? ", can open pull requests"
              : ", cannot open pull requests"}
          {credential.checked_at === null ? (
            "."
          ) : (
            <>
              , checked <Ago at={credential.checked_at} />.
            </>
          )}
        </p>
        {kind === null ? (
          <button type="button" onClick={() => setKind("token")}>
            Replace
          </button>
        ) : (
          <SubmitForm sending={replacing}>
            <CredentialKind kind={kind} onChange={setKind} />
            <CredentialFields kind={kind} />
            {replacing.error === null ? null : <ErrorMessage error={replacing.error} />}
            <div className="row">
              <button type="submit" className="primary" disabled={replacing.isPending}>
                {replacing.isPending ? "Replacing…" : "Replace"}
              </button>
              <button type="button" onClick={() => setKind(null)}>
                Cancel
              </button>
            </div>
          </SubmitForm>
        )}
      </div>
    </section>
  );
}
