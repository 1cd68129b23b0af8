/**
 * What a query brought: data as soon as there is any, marked when it is older than 10 s and not known to be right; else the trouble; else
 * a skeleton of what will stand there, once 150 ms have passed.
 */
import type { UseQueryResult } from "@tanstack/react-query";
import { ProblemError } from "@triptych/client";
import { useEffect, useState } from "react";
import { reach } from "../api/connection-status.ts";
import { FRESH_MS } from "../api/queries.ts";
import { NotFound } from "../screens/not-found.tsx";
import { useStore } from "../store.ts";
import { Ago } from "./stat-values.tsx";
import { useNow } from "./clock.ts";
import { ErrorMessage } from "./error-message.tsx";

type QueryResult<T> = Pick<UseQueryResult<T>, "data" | "error" | "dataUpdatedAt" | "isFetching" | "refetch">;

interface LoadedProps<T> {
  readonly query: QueryResult<T>;
  /** Bones in the shape of what comes. */
  readonly skeleton: React.ReactNode;
  /** Of a screen that is all about one thing: what it is called until it is there. Where there is none, nothing is found. */
  readonly heading?: string;
  /** Where the screen says once for all of its parts how old they are. */
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

/** How old it is, where that is long ago and not known to be right. */
export function StaleNotice({ query: { dataUpdatedAt, isFetching, error } }: { readonly query: QueryResult<unknown> }) {
  const { isLive } = useStore(reach);
  const now = useNow();
  const isOld = now - dataUpdatedAt > FRESH_MS && dataUpdatedAt > 0;
  if (!isOld || (!isFetching && error === null && isLive)) return null;
  return (
    <p className="stale soft" role="note">
      As of <Ago at={new Date(dataUpdatedAt).toISOString()} />
      {isFetching ? ", being read again" : ""}
    </p>
  );
}

const LATE_MS = 150;

/** Nothing for a moment: what is quick needs no skeleton. Its place is kept. */
export function DelayedSpinner({ children }: { readonly children: React.ReactNode }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), LATE_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={isLate ? "late shown" : "late"} aria-busy="true">
      <span className="visually-hidden">Loading</span>
      {children}
    </div>
  );
}

/** For the eye alone: who hears the page is told that it loads. */
export function Skeleton({ children }: { readonly children: React.ReactNode }) {
  return (
    <DelayedSpinner>
      <div className="skeleton" aria-hidden="true">
        {children}
      </div>
    </DelayedSpinner>
  );
}
