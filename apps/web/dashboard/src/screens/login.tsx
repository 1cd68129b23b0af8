/** Sign in by email and password, or by the token after the # of a one-time link. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { session } from "../api/session.ts";
import { signInOnce } from "../layout/auth.ts";
import { SignInForm } from "../layout/sign-in-form.tsx";
import { useTitle } from "../layout/title.ts";
import { isLoopback } from "../api/connection-status.ts";
import { DelayedSpinner } from "../components/query-boundary.tsx";
import { ErrorMessage } from "../components/error-message.tsx";
import { useStore } from "../components/watch.ts";
import { t } from "../i18n.ts";
import { rich } from "../components/rich.tsx";

/** Removes the token from address and history immediately: it is a credential until used. */
const once = takeToken();

function takeToken(): { token: string } {
  const token = location.pathname === "/login" ? location.hash.slice(1) : "";
  if (token !== "") history.replaceState(history.state, "", location.pathname);
  return { token };
}

export function Login() {
  useTitle(t("Sign in"));
  const navigate = useNavigate();
  const isIn = useStore(session).kind === "in";
  const entering = useMutation({ mutationFn: signInOnce });
  const { mutate } = entering;
  useEffect(() => {
    const { token } = once;
    once.token = "";
    if (token !== "") mutate(token);
    // Pasting a link into an open tab changes only the hash, without a reload.
    const onLink = () => {
      const later = takeToken().token;
      if (later !== "") mutate(later);
    };
    addEventListener("hashchange", onLink);
    return () => removeEventListener("hashchange", onLink);
  }, [mutate]);
  const isAtLogin = location.pathname === "/login";
  useEffect(() => {
    if (isIn && isAtLogin) void navigate({ to: "/", replace: true });
  }, [isIn, isAtLogin, navigate]);
  if (entering.isPending || isIn)
    return (
      <div className="login">
        <h1>{t("Signing in")}</h1>
        <DelayedSpinner>
          <p className="soft">{t("Checking the link.")}</p>
        </DelayedSpinner>
      </div>
    );
  return (
    <div className="login">
      <h1>{t("Sign in")}</h1>
      {entering.error === null ? null : <ErrorMessage error={entering.error} />}
      {entering.error === null ? null : (
        <p className="soft">{t("A link works once, for 15 minutes. Sign in with email and password instead.")}</p>
      )}
      <SignInForm />
      {isLoopback() ? (
        <p className="soft">
          {rich(
            t(
              "Your initial password is in <code>credentials.json</code> in the data folder (<code>.triptych</code> where the panel was started).",
            ),
          )}
        </p>
      ) : null}
    </div>
  );
}
