import { Field, errorAt } from "./field.tsx";
import { t } from "../i18n.ts";

interface CommandFieldsProps {
  /** The error of the panel's response; the fields show its validation issues. */
  readonly error: unknown;
  readonly setup: CommandField;
  readonly verify: CommandField;
  readonly placeholder?: string;
}

interface CommandField {
  readonly hint: React.ReactNode;
  readonly value?: string | null;
}

/** JSON pointers of the issues that these fields show. */
export const COMMAND_POINTERS = ["/verify_cmd", "/verify/setup_cmd"];

export function CommandFields({ error, setup, verify, placeholder }: CommandFieldsProps) {
  const attributes = { spellCheck: false, maxLength: 2000, placeholder };
  return (
    <>
      <Field label={t("Setup command")} error={errorAt(error, "/verify/setup_cmd")} hint={setup.hint}>
        {(inputProps) => <input {...inputProps} {...attributes} name="setup_cmd" defaultValue={setup.value ?? ""} />}
      </Field>
      <Field label={t("Test command")} error={errorAt(error, "/verify_cmd")} hint={verify.hint}>
        {(inputProps) => <input {...inputProps} {...attributes} name="verify_cmd" defaultValue={verify.value ?? ""} />}
      </Field>
    </>
  );
}
