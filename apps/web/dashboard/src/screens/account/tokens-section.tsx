import { useMutation, useQuery } from "@tanstack/react-query";
import { SCOPES } from "@triptych/contracts/plain";
import type { AccessToken } from "@triptych/contracts";
import { useRef, useState } from "react";
import { call, clickKey } from "../../api/call.ts";
import { createToken, deleteToken } from "../../api/endpoints.ts";
import { queries, tokensQuery } from "../../api/queries.ts";
import { ActionButton } from "../../components/action-button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { Empty } from "../../components/empty.tsx";
import { Field, errorAt, hasOnlyFieldErrors } from "../../components/field.tsx";
import { Ago } from "../../components/stat-values.tsx";
import { typed } from "../../components/form-text.ts";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { Table, TableSkeleton } from "../../components/table.tsx";
import { SubmitForm } from "../../components/submit-form.tsx";
import { ErrorMessage } from "../../components/error-message.tsx";
import { t } from "../../i18n.ts";

const COLUMNS = [
  { name: t("Name"), isWide: true },
  { name: t("Scopes") },
  { name: t("Created") },
  { name: t("Expires") },
  { name: t("Revoke"), isUnnamed: true, isNumber: true },
];

export function TokensSection() {
  const query = useQuery(tokensQuery);
  const [made, setMade] = useState<string | null>(null);
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">{t("Access tokens")}</h2>
      <div className="stack">
        {made === null ? null : (
          <div role="status" className="stack">
            <p>
              <b>{t("New token. Copy it now: the panel stores only its hash.")}</b>
            </p>
            <div className="key">
              <code>{made}</code>
              <CopyButton text={made} name={t("token")} />
              <button type="button" onClick={() => setMade(null)}>
                {t("Done")}
              </button>
            </div>
          </div>
        )}
        <QueryBoundary query={query} skeleton={<TableSkeleton columns={COLUMNS} rows={1} />}>
          {(tokens) =>
            tokens.length === 0 ? (
              <Empty why={t("No access tokens yet. Programs need one to use the API.")} />
            ) : (
              <Table caption={t("Tokens of this account")} columns={COLUMNS}>
                {tokens.map((token) => (
                  <TokenRow key={token.id} token={token} />
                ))}
              </Table>
            )
          }
        </QueryBoundary>
        <MakeForm onMade={setMade} />
      </div>
    </section>
  );
}

function TokenRow({ token: { id, name, scopes, created_at, expires_at } }: { readonly token: AccessToken }) {
  return (
    <tr>
      <td>
        <bdi>{name}</bdi>
      </td>
      <td className="fit">{scopes.join(", ")}</td>
      <td className="fit">
        <Ago at={created_at} />
      </td>
      <td className="fit">
        {expires_at === null ? <span className="soft">{t("never")}</span> : <Ago at={expires_at} />}
      </td>
      <td className="number">
        <ActionButton
          label={t("Revoke")}
          ask={{
            title: t("Revoke “{name}”?", { name }),
            text: t("Programs that use this token lose access immediately."),
            yes: t("Revoke"),
          }}
          isDanger
          act={() => call(deleteToken, { params: { id } })}
          onDone={() => void queries.invalidateQueries({ queryKey: ["tokens"] })}
        />
      </td>
    </tr>
  );
}

function MakeForm({ onMade }: { readonly onMade: (token: string) => void }) {
  const form = useRef<HTMLFormElement>(null);
  const making = useMutation({
    mutationFn: async (sent: FormData) => {
      const days = typed(sent, "days").trim();
      const scopes = SCOPES.filter((scope) => sent.has(`scope-${scope}`));
      const body = { name: typed(sent, "name").trim(), scopes, ...(days !== "" && { expires_in_days: Number(days) }) };
      return (await call(createToken, { body, idempotencyKey: clickKey() })).body;
    },
    onSuccess: ({ token }) => {
      form.current?.reset();
      void queries.invalidateQueries({ queryKey: ["tokens"] });
      onMade(token);
    },
  });
  return (
    <SubmitForm sending={making} form={form}>
      <Field label={t("Name")} error={errorAt(making.error, "/name")}>
        {(inputProps) => (
          <input
            {...inputProps}
            name="name"
            required
            maxLength={80}
            placeholder={t("CI of acme/sum")}
            autoComplete="off"
          />
        )}
      </Field>
      <fieldset className="field">
        <legend>{t("Scopes")}</legend>
        <div className="scopes">
          {SCOPES.map((scope) => (
            <label key={scope} className="check">
              <input type="checkbox" name={`scope-${scope}`} defaultChecked={scope !== "admin"} /> {scope}
              {scope === "admin" ? <span className="soft"> {t("(license key and tokens)")}</span> : null}
            </label>
          ))}
        </div>
        {errorAt(making.error, "/scopes") === undefined ? null : (
          <p className="field-error">{errorAt(making.error, "/scopes")}</p>
        )}
      </fieldset>
      <Field
        label={t("Expires after (days)")}
        hint={t("Leave empty for no expiry.")}
        error={errorAt(making.error, "/expires_in_days")}
      >
        {(inputProps) => <input {...inputProps} name="days" type="number" min={1} max={365} className="number" />}
      </Field>
      {making.error === null || hasOnlyFieldErrors(making.error, ["/name", "/scopes", "/expires_in_days"]) ? null : (
        <ErrorMessage error={making.error} />
      )}
      <button type="submit" disabled={making.isPending}>
        {making.isPending ? t("Creating…") : t("Create token")}
      </button>
    </SubmitForm>
  );
}
