import { useMutation } from "@tanstack/react-query";
import { Field, errorAt } from "../components/field.tsx";
import { typed } from "../components/form-text.ts";
import { ErrorMessage } from "../components/error-message.tsx";
import { ProblemError } from "@triptych/client";
import { SubmitForm } from "../components/submit-form.tsx";
import { signIn } from "./auth.ts";

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
      <Field label="Email" error={errorAt(entering.error, "/email")}>
        {(inputProps) => (
          <input {...inputProps} name="email" type="email" autoComplete="username" defaultValue={email} required />
        )}
      </Field>
      <Field label="Password" error={isRefused ? "Incorrect email or password." : errorAt(entering.error, "/password")}>
        {(inputProps) => (
          <input {...inputProps} name="password" type="password" autoComplete="current-password" required />
        )}
      </Field>
      {entering.error === null || isRefused ? null : <ErrorMessage error={entering.error} />}
      <button type="submit" className="primary" disabled={entering.isPending}>
        {entering.isPending ? "Signing in…" : "Sign in"}
      </button>
    </SubmitForm>
  );
}
