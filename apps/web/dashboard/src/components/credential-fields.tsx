import type { CredentialSent } from "@triptych/contracts";
import { Field } from "./field.tsx";
import { typed } from "./form-text.ts";
import { t } from "../i18n.ts";

export type CredentialType = CredentialSent["kind"];

const KINDS: readonly (readonly [CredentialType, string])[] = [
  ["none", t("None (public repository or local folder)")],
  ["token", t("Access token")],
  ["basic", t("Username and password")],
  ["ssh_key", t("SSH key")],
  ["github_app", t("GitHub App")],
];

interface KindProps {
  readonly kind: CredentialType;
  readonly onChange: (kind: CredentialType) => void;
  readonly error?: string | undefined;
}

export function CredentialKind({ kind, onChange, error }: KindProps) {
  return (
    <Field
      label={t("Credential")}
      error={error}
      hint={t("Stored encrypted in the panel and never shown again. Agents cannot access it.")}
    >
      {(inputProps) => (
        <select
          {...inputProps}
          value={kind}
          onChange={({ target }) => onChange(KINDS.find(([option]) => option === target.value)?.[0] ?? "none")}
        >
          {KINDS.map(([option, label]) => (
            <option key={option} value={option}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CredentialFields({ kind }: { readonly kind: CredentialType }) {
  if (kind === "none") return null;
  if (kind === "ssh_key") return <PrivateKey />;
  if (kind === "github_app")
    return (
      <>
        <Field label={t("App ID")}>
          {(inputProps) => <input {...inputProps} name="app_id" type="number" min={1} required autoComplete="off" />}
        </Field>
        <Field label={t("Installation ID")} hint={t("Optional. Found by the address of the repository if empty.")}>
          {(inputProps) => <input {...inputProps} name="installation_id" type="number" min={1} autoComplete="off" />}
        </Field>
        <PrivateKey />
      </>
    );
  return (
    <>
      {kind === "basic" ? (
        <Field label={t("Username")}>
          {(inputProps) => <input {...inputProps} name="username" required autoComplete="off" />}
        </Field>
      ) : null}
      <Field label={kind === "basic" ? t("Password") : t("Token")}>
        {(inputProps) => <input {...inputProps} name="token" type="password" required autoComplete="off" />}
      </Field>
    </>
  );
}

function PrivateKey() {
  return (
    <Field label={t("Private key")}>
      {(inputProps) => (
        <textarea
          {...inputProps}
          name="private_key"
          rows={5}
          required
          spellCheck={false}
          className="code"
          autoComplete="off"
        />
      )}
    </Field>
  );
}

export function credentialOf(kind: CredentialType, sent: FormData): CredentialSent {
  switch (kind) {
    case "none":
      return { kind };
    case "token":
      return { kind, token: typed(sent, "token") };
    case "basic":
      return { kind, username: typed(sent, "username"), token: typed(sent, "token") };
    case "ssh_key":
      return { kind, private_key: typed(sent, "private_key") };
    case "github_app": {
      const installation = typed(sent, "installation_id");
      return {
        kind,
        app_id: Number(typed(sent, "app_id")),
        ...(installation !== "" && { installation_id: Number(installation) }),
        private_key: typed(sent, "private_key"),
      };
    }
  }
}
