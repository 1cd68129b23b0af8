/** The fields of each kind of credential, and the request body. */
import type { CredentialSent } from "@triptych/contracts";
import { Field } from "./field.tsx";
import { typed } from "./form-text.ts";

export type CredentialType = CredentialSent["kind"];

const KINDS: readonly (readonly [CredentialType, string])[] = [
  ["none", "none: it is public, or a folder of this machine"],
  ["token", "access token of the forge"],
  ["basic", "user and password"],
  ["ssh_key", "SSH key"],
];

interface KindProps {
  readonly kind: CredentialType;
  readonly onChange: (kind: CredentialType) => void;
  readonly error?: string | undefined;
}

export function CredentialKind({ kind, onChange, error }: KindProps) {
  return (
    <Field
      label="Credential"
      fault={error}
      hint="It is sealed, stays in the panel, and is never shown again. Agents do not get it."
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
  if (kind === "ssh_key")
    return (
      <Field label="Private key">
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
  return (
    <>
      {kind === "basic" ? (
        <Field label="User">
          {(inputProps) => <input {...inputProps} name="username" required autoComplete="off" />}
        </Field>
      ) : null}
      <Field label={kind === "basic" ? "Password" : "Token"}>
        {(inputProps) => <input {...inputProps} name="token" type="password" required autoComplete="off" />}
      </Field>
    </>
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
  }
}
