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

type Variable = Repo["environment"][string];
type SentVariable = string | { readonly value: string; readonly sealed: true } | null;

const POINTER = "/environment";
const PREVIEW_CHARACTERS_MAX = 200;

export function EnvironmentForm({ repo }: { readonly repo: Repo }) {
  const variables = Object.entries(repo.environment);
  return (
    <section aria-labelledby="environment" className="settings-extra">
      <h2 id="environment">Environment</h2>
      <div className="fields">
        {variables.length === 0 ? (
          <p>No variables are set.</p>
        ) : (
          <ul className="variables" aria-label="Variables">
            {variables.map(([name, variable]) => (
              <li key={name}>
                <code>{name}</code>
                <VariableValue variable={variable} />
                <ActionButton
                  label="Remove"
                  act={() => saveVariable(repo.id, name, null)}
                  onDone={() => notify(`${name} was removed.`)}
                  ask={{
                    title: "Remove this variable?",
                    text: `Future runs do not get ${name}.`,
                    yes: "Remove",
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
  if (sealed) return <span className="soft">Encrypted</span>;
  if (value === "") return <span className="soft">Empty</span>;
  const { text, left } = cutLine(plainText(value ?? ""), PREVIEW_CHARACTERS_MAX);
  return (
    <span>
      <code>{text}</code>
      {left === 0 ? null : <span className="soft"> and {left} more characters</span>}
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
      notify(`${name} was saved. Future runs get it.`);
    },
  });
  const { error } = saving;
  return (
    <SubmitForm sending={saving} form={form}>
      <Field
        label="Variable name"
        error={errorAt(error, POINTER)}
        hint="Replaces an existing variable with the same name."
      >
        {(inputProps) => (
          <input {...inputProps} name="name" className="code" required spellCheck={false} autoComplete="off" />
        )}
      </Field>
      <Field label="Value">
        {(inputProps) => (
          <textarea {...inputProps} name="value" className="code" rows={1} spellCheck={false} autoComplete="off" />
        )}
      </Field>
      <Field
        label="Secret"
        hint="Encrypted, never shown again, and available only to the setup command, not to tests and agents."
      >
        {(inputProps) => (
          <span className="check">
            <input {...inputProps} type="checkbox" name="sealed" defaultChecked /> Encrypt the value
          </span>
        )}
      </Field>
      {error === null || hasOnlyFieldErrors(error, [POINTER]) ? null : <ErrorMessage error={error} />}
      <button type="submit" disabled={saving.isPending}>
        {saving.isPending ? "Saving…" : "Set variable"}
      </button>
    </SubmitForm>
  );
}

/** A merge patch of one variable: it leaves the others unchanged, so it needs no revision. */
async function saveVariable(id: string, name: string, sent: SentVariable): Promise<void> {
  await call(updateRepo, { params: { id }, body: { environment: { [name]: sent } } });
  await queries.invalidateQueries({ queryKey: ["repo", id] });
}
