import { Field, errorAt } from "./field.tsx";

interface CommandFieldsProps {
  /** The panel's validation error. */
  readonly error: unknown;
  readonly setup: CommandField;
  readonly verify: CommandField;
  readonly placeholder?: string;
}

interface CommandField {
  readonly hint: React.ReactNode;
  readonly value?: string | null;
}

export const COMMAND_POINTERS = ["/verify_cmd", "/verify/setup_cmd"];

export function CommandFields({ error, setup, verify, placeholder }: CommandFieldsProps) {
  const input = { spellCheck: false, maxLength: 2000, placeholder };
  return (
    <>
      <Field label="Setup command" error={errorAt(error, "/verify/setup_cmd")} hint={setup.hint}>
        {(given) => <input {...given} {...input} name="setup_cmd" defaultValue={setup.value ?? ""} />}
      </Field>
      <Field label="Test command" error={errorAt(error, "/verify_cmd")} hint={verify.hint}>
        {(given) => <input {...given} {...input} name="verify_cmd" defaultValue={verify.value ?? ""} />}
      </Field>
    </>
  );
}
