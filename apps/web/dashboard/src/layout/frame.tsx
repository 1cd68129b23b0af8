/** The frame of every screen: navigation, connection status, sign-in and help. */
import { useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { followChanges } from "../api/changes.ts";
import { accountQuery } from "../api/queries.ts";
import { reach } from "../api/connection-status.ts";
import { session } from "../api/session.ts";
import { Dialog } from "../components/dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { DelayedSpinner } from "../components/query-boundary.tsx";
import { ErrorMessage } from "../components/error-message.tsx";
import { Login } from "../screens/login.tsx";
import { useStore } from "../components/watch.ts";
import { askSession, signOutLocally } from "./auth.ts";
import { HelpDialog } from "./help-dialog.tsx";
import { focusFilter, bindHotkeys, moveItem, useKeys } from "./hotkeys.ts";
import { Notices } from "./toast.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import { THEME_LABELS, THEMES, theme } from "./theme.ts";
import { language, LANGUAGES, t } from "../i18n.ts";

const NAV_ITEMS = [
  ["/", t("Overview"), "o"],
  ["/repos", t("Repos"), "r"],
  ["/runs", t("Runs"), "u"],
  ["/workers", t("Workers"), "w"],
  ["/account", t("Account"), "a"],
] as const;

export function Frame() {
  const [isHelping, help] = useState(false);
  const now = useStore(session);
  const queries = useQueryClient();
  // The stream is opened before the first read, so that no change is missed.
  useLiveness(now.kind === "asking" || now.kind === "in");
  useGlobalKeys(() => help(true));
  useLeaveWhenMoved();
  const isIn = now.kind === "in" || now.kind === "expired";
  return (
    <>
      <a className="skip" href="#main">
        {t("Skip to content")}
      </a>
      <header className="top">
        <Link to="/" className="brand">
          Triptych
        </Link>
        {isIn ? <MainNav /> : <span className="fill" />}
        <LanguageSwitch />
        <ThemeSwitch />
        <button type="button" className="bare" title={`${t("Keyboard shortcuts")} (?)`} onClick={() => help(true)}>
          <Icon name="help" />
          <span className="visually-hidden">{t("Keyboard shortcuts")}</span>
        </button>
      </header>
      {isIn ? <ConnectionBar /> : null}
      <main id="main" tabIndex={-1}>
        <Body kind={now.kind} />
      </main>
      <Notices />
      {now.kind === "expired" ? (
        <Dialog title={t("Sign in again")} onClose={() => undefined} isBinding>
          <p className="soft">{t("Your session has expired. This page and your input are preserved.")}</p>
          <SignInForm email={queries.getQueryData(accountQuery.queryKey)?.email} />
        </Dialog>
      ) : null}
      {isHelping ? <HelpDialog onClose={() => help(false)} /> : null}
    </>
  );
}

function Body({ kind }: { readonly kind: "asking" | "out" | "in" | "expired" }) {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const [error, setError] = useState<unknown>(null);
  const ask = () => {
    setError(null);
    askSession().catch((reason: unknown) => session.get().kind === "asking" && setError(reason));
  };
  useEffect(ask, []);
  if (kind === "out" || path === "/login") return <Login />;
  if (kind !== "asking") return <Outlet />;
  if (error !== null) return <ErrorMessage error={error} onRetry={ask} />;
  return (
    <DelayedSpinner>
      <p className="soft">{t("Checking the session.")}</p>
    </DelayedSpinner>
  );
}

function MainNav() {
  return (
    <nav aria-label={t("Main")}>
      {NAV_ITEMS.map(([to, name, letter]) => (
        <Link key={to} to={to} activeOptions={{ exact: to === "/" }} title={`${name} (g ${letter})`}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

/** While the panel is unreachable, a reload would lose the page, so the choice takes effect later. */
function LanguageSwitch() {
  const { isReached } = useStore(reach);
  return (
    <label className="theme">
      <span className="visually-hidden">{t("Language")}</span>
      <select
        value={useStore(language)}
        onChange={({ target }) => {
          language.set(target.value === "fr" ? "fr" : "en");
          if (isReached) location.reload();
        }}
      >
        {LANGUAGES.map(([option, name]) => (
          <option key={option} value={option} lang={option}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function ThemeSwitch() {
  const chosen = useStore(theme);
  return (
    <label className="theme">
      <Icon name="half" />
      <span className="visually-hidden">{t("Theme")}</span>
      <select
        value={chosen}
        onChange={({ target }) => theme.set(THEMES.find((option) => option === target.value) ?? "auto")}
      >
        {THEMES.map((option) => (
          <option key={option} value={option}>
            {THEME_LABELS[option]}
          </option>
        ))}
      </select>
    </label>
  );
}

const GRACE_MS = 2_500;

/** Delayed, so that a quick reconnection is not shown. */
function ConnectionBar() {
  const { isReached, isLive } = useStore(reach);
  const isWell = isReached && isLive;
  const [isVisible, show] = useState(false);
  useEffect(() => {
    if (isWell) return show(false);
    const timer = setTimeout(() => show(true), GRACE_MS);
    return () => clearTimeout(timer);
  }, [isWell]);
  return (
    <div role="status" className={isVisible ? "connection shown" : "connection"}>
      {isVisible
        ? isReached
          ? t("Live updates are interrupted. Refreshing every 5 s.")
          : t("Cannot reach the panel. Showing the last known state; retrying automatically.")
        : ""}
    </div>
  );
}

function useLiveness(isIn: boolean): void {
  const queries = useQueryClient();
  useEffect(() => (isIn ? followChanges(queries) : undefined), [isIn, queries]);
}

function useGlobalKeys(help: () => void): void {
  const navigate = useNavigate();
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(
    () =>
      bindHotkeys((letter) => {
        const item = NAV_ITEMS.find(([, , key]) => key === letter);
        if (item !== undefined) void navigate({ to: item[0] });
        return item !== undefined;
      }),
    [navigate],
  );
  useKeys({
    "?": help,
    "/": focusFilter,
    j: () => moveItem(1),
    k: () => moveItem(-1),
    Escape: () => {
      const above = path.split("/").slice(0, 2).join("/");
      if (path !== above && (above === "/runs" || above === "/repos")) void navigate({ to: above });
    },
  });
}

/** Navigation after an expired session signs out locally, so that cached data of other pages is no longer visible. */
function useLeaveWhenMoved(): void {
  const path = useLocation({ select: ({ pathname }) => pathname });
  useEffect(() => {
    if (session.get().kind === "expired") signOutLocally();
  }, [path]);
}
