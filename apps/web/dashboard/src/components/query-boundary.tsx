/**
 * Renders a query: data when available, marked when it is older than 10 s and unconfirmed; else the error; else a skeleton after 150 ms.
 */
import type { UseQueryResult } from "@tanstack/react-query";
import { ProblemError } from "@triptych/client";
import { useEffect, useState } from "react";
import { reach } from "../api/connection-status.ts";
import { FRESH_MS } from "../api/queries.ts";
import { NotFound } from "../screens/not-found.tsx";
import { useNow, useStore } from "./watch.ts";
import { Ago } from "./stat-values.tsx";
import { ErrorMessage } from "./error-message.tsx";
import { t } from "../i18n.ts";
import { rich } from "./rich.tsx";

type QueryResult<T> = Pick<UseQueryResult<T>, "data" | "error" | "dataUpdatedAt" | "isFetching" | "refetch">;

interface LoadedProps<T> {
  readonly query: QueryResult<T>;
  /** A skeleton in the shape of the data. */
  readonly skeleton: React.ReactNode;
  /** The title of a detail screen while it loads. Without data it shows "not found". */
  readonly heading?: string;
  /** Set if the screen shows the age once for all parts. */
  readonly isAgeless?: boolean;
  readonly children: (data: T) => React.ReactNode;
}

export function QueryBoundary<T>({ query, skeleton, heading, isAgeless = false, children }: LoadedProps<T>) {
  const { data, error, refetch } = query;
  if (data !== undefined)
    return (
      <>
        {isAgeless ? null : <StaleNotice query={query} />}
        {children(data)}
      </>
    );
  if (heading !== undefined && error instanceof ProblemError && error.status === 404) return <NotFound />;
  return (
    <>
      {heading === undefined ? null : <h1 className="visually-hidden">{heading}</h1>}
      {error === null ? <Skeleton>{skeleton}</Skeleton> : <ErrorMessage error={error} onRetry={() => void refetch()} />}
    </>
  );
}

/** The age of the data, if it is old and unconfirmed. */
export function StaleNotice({ query: { dataUpdatedAt, isFetching, error } }: { readonly query: QueryResult<unknown> }) {
  const { isLive } = useStore(reach);
  const now = useNow();
  const isOld = now - dataUpdatedAt > FRESH_MS && dataUpdatedAt > 0;
  if (!isOld || (!isFetching && error === null && isLive)) return null;
  return (
    <p className="stale soft" role="note">
      {rich(isFetching ? t("As of {time}, refreshing") : t("As of {time}"), {
        time: <Ago at={new Date(dataUpdatedAt).toISOString()} />,
      })}
    </p>
  );
}

const LATE_MS = 150;

/** Empty at first, with space reserved, because fast responses need no skeleton. */
export function DelayedSpinner({ children }: { readonly children: React.ReactNode }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={isLate ? "late shown" : "late"} aria-busy="true">
      <span className="visually-hidden">{t("Loading")}</span>
      {children}
    </div>
  );
}

/** Visual only: screen readers get a loading message. */
export function Skeleton({ children }: { readonly children: React.ReactNode }) {
  return (
    <DelayedSpinner>
      <div className="skeleton" aria-hidden="true">
        {children}
      </div>
    </DelayedSpinner>
  );
}
