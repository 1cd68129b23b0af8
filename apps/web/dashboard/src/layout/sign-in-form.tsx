import { useMutation } from "@tanstack/react-query";
import { Field, errorAt } from "../components/field.tsx";
import { typed } from "../components/form-text.ts";
import { ErrorMessage } from "../components/error-message.tsx";
import { ProblemError } from "@triptych/client";
import { SubmitForm } from "../components/submit-form.tsx";
import { signIn } from "./auth.ts";
import { t } from "../i18n.ts";

interface SignInFormProps {
  readonly onDone?: () => void;
  readonly email?: string | undefined;
}

export function SignInForm({ onDone, email }: SignInFormProps) {
  const entering = useMutation({
    mutationFn: (sent: FormData) => signIn(typed(sent, "email"), typed(sent, "password")),
    onSuccess: onDone,
  });
  const isRefused = entering.error instanceof ProblemError && entering.error.status === 401;
  return (
    <SubmitForm sending={entering}>
      <Field label={t("Email")} error={errorAt(entering.error, "/email")}>
        {(inputProps) => (
          <input {...inputProps} name="email" type="email" autoComplete="username" defaultValue={email} required />
        )}
      </Field>
      <Field
        label={t("Password")}
        error={isRefused ? t("Incorrect email or password.") : errorAt(entering.error, "/password")}
      >
        {(inputProps) => (
          <input {...inputProps} name="password" type="password" autoComplete="current-password" required />
        )}
      </Field>
      {entering.error === null || isRefused ? null : <ErrorMessage error={entering.error} />}
      <button type="submit" className="primary" disabled={entering.isPending}>
        {entering.isPending ? t("Signing in…") : t("Sign in")}
      </button>
    </SubmitForm>
  );
}
