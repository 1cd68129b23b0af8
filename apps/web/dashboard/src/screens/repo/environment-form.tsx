/** Environment variables of a repository. The API never returns a sealed value, so a variable is replaced or removed, never edited. */
import { useMutation } from "@tanstack/react-query";
import type { Repo } from "@triptych/contracts";
import { useRef } from "react";
import { call } from "../../api/call.ts";
import { updateRepo } from "../../api/endpoints.ts";
import { queries } from "../../api/queries.ts";
import { notify } from "../../layout/toast.tsx";
import { ActionButton } from "../../components/action-button.tsx";
import { Field, errorAt, hasOnlyFieldErrors } from "../../components/field.tsx";
import { typed } from "../../components/form-text.ts";
import { SubmitForm } from "../../components/submit-form.tsx";
import { ErrorMessage } from "../../components/error-message.tsx";
import { cutLine, plainText } from "../../labels/plain-text.ts";
import { plural, t } from "../../i18n.ts";

type Variable = Repo["environment"][string];
type SentVariable = string | { readonly value: string; readonly sealed: true } | null;

const POINTER = "/environment";
const PREVIEW_CHARACTERS_MAX = 200;

export function EnvironmentForm({ repo }: { readonly repo: Repo }) {
  const variables = Object.entries(repo.environment);
  return (
    <section aria-labelledby="environment" className="settings-extra">
      <h2 id="environment">{t("Environment")}</h2>
      <div className="fields">
        {variables.length === 0 ? (
          <p>{t("No variables are set.")}</p>
        ) : (
          <ul className="variables" aria-label={t("Variables")}>
            {variables.map(([name, variable]) => (
              <li key={name}>
                <code>{name}</code>
                <VariableValue variable={variable} />
                <ActionButton
                  label={t("Remove")}
                  act={() => saveVariable(repo.id, name, null)}
                  onDone={() => notify(t("{name} was removed.", { name }))}
                  ask={{
                    title: t("Remove this variable?"),
                    text: t("Future runs do not get {name}.", { name }),
                    yes: t("Remove"),
                  }}
                />
              </li>
            ))}
          </ul>
        )}
        <AddVariable repoId={repo.id} />
      </div>
    </section>
  );
}

function VariableValue({ variable: { value, sealed } }: { readonly variable: Variable }) {
  if (sealed) return <span className="soft">{t("Encrypted")}</span>;
  if (value === "") return <span className="soft">{t("Empty")}</span>;
  const { text, left } = cutLine(plainText(value ?? ""), PREVIEW_CHARACTERS_MAX);
  return (
    <span>
      <code>{text}</code>
      {left === 0 ? null : (
        <span className="soft"> {plural(left, "and {count} more character", "and {count} more characters")}</span>
      )}
    </span>
  );
}

function AddVariable({ repoId }: { readonly repoId: string }) {
  const form = useRef<HTMLFormElement>(null);
  const saving = useMutation({
    mutationFn: async (sent: FormData) => {
      const name = typed(sent, "name").trim();
      const value = typed(sent, "value");
      const isSealed = typed(sent, "sealed") === "on";
      await saveVariable(repoId, name, isSealed ? { value, sealed: true } : value);
      return name;
    },
    onSuccess: (name) => {
      form.current?.reset();
      notify(t("{name} was saved. Future runs get it.", { name }));
    },
  });
  const { error } = saving;
  return (
    <SubmitForm sending={saving} form={form}>
      <Field
        label={t("Variable name")}
        error={errorAt(error, POINTER)}
        hint={t("Replaces an existing variable with the same name.")}
      >
        {(inputProps) => (
          <input {...inputProps} name="name" className="code" required spellCheck={false} autoComplete="off" />
        )}
      </Field>
      <Field label={t("Value")}>
        {(inputProps) => (
          <textarea {...inputProps} name="value" className="code" rows={1} spellCheck={false} autoComplete="off" />
        )}
      </Field>
      <Field
        label={t("Secret")}
        hint={t("Encrypted, never shown again, and available only to the setup command, not to tests and agents.")}
      >
        {(inputProps) => (
          <span className="check">
            <input {...inputProps} type="checkbox" name="sealed" defaultChecked /> {t("Encrypt the value")}
          </span>
        )}
      </Field>
      {error === null || hasOnlyFieldErrors(error, [POINTER]) ? null : <ErrorMessage error={error} />}
      <button type="submit" disabled={saving.isPending}>
        {saving.isPending ? t("Saving…") : t("Set variable")}
      </button>
    </SubmitForm>
  );
}

/** A merge patch of one variable: it leaves the others unchanged, so it needs no revision. */
async function saveVariable(id: string, name: string, sent: SentVariable): Promise<void> {
  await call(updateRepo, { params: { id }, body: { environment: { [name]: sent } } });
  await queries.invalidateQueries({ queryKey: ["repo", id] });
}
