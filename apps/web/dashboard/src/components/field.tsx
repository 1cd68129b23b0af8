/** The first invalid field takes focus. */
import { ProblemError } from "@triptych/client";
import { useEffect, useId, type RefObject } from "react";
import { panelText } from "../i18n.ts";

export interface FieldProps {
  readonly label: string;
  readonly hint?: React.ReactNode;
  readonly error?: string | undefined;
  readonly children: (inputProps: FieldInputProps) => React.ReactNode;
}

export interface FieldInputProps {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const isDescribed = hint !== undefined || error !== undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-describedby": isDescribed ? `${id}-about` : undefined,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {isDescribed ? (
        <div id={`${id}-about`} className="about">
          {error === undefined ? null : <p className="field-error">{error}</p>}
          {hint === undefined ? null : <div className="soft">{hint}</div>}
        </div>
      ) : null}
    </div>
  );
}

/** Errors by JSON pointer: `/team/members/0/cli`. A field also receives errors of its children. */
export function errorAt(error: unknown, pointer: string): string | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const found = error.errors.filter(({ path }) => path === pointer || path.startsWith(`${pointer}/`));
  return found.length === 0 ? undefined : found.map(({ message }) => panelText(message)).join(" ");
}

/** Whether every error belongs to a field; otherwise the form shows the whole problem. */
export function hasOnlyFieldErrors(error: unknown, pointers: readonly string[]): boolean {
  if (!(error instanceof ProblemError) || error.errors.length === 0) return false;
  return error.errors.every(({ path }) =>
    pointers.some((pointer) => path === pointer || path.startsWith(`${pointer}/`)),
  );
}

export function useFocusOnError(form: RefObject<HTMLFormElement | null>, error: unknown): void {
  useEffect(() => {
    if (error === null || error === undefined) return;
    form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [form, error]);
}
