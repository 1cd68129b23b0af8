/** Error boundary of a screen that failed to load or render: the frame stays, with a reload button. */
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { reach } from "../api/connection-status.ts";
import { errorMessageOf } from "../components/error-message.tsx";
import { useStore } from "../components/watch.ts";
import { t } from "../i18n.ts";

export class ScreenNotFetched extends Error {
  constructor(cause: unknown) {
    super("loading the code of this page failed", { cause });
    this.name = "ScreenNotFetched";
  }
}

export function ScreenError({ error }: ErrorComponentProps) {
  const message = error instanceof Error ? error.message : String(error);
  const isFetch = error instanceof ScreenNotFetched;
  useReloadWhenBack(isFetch);
  return (
    <div role="alert" className="trouble">
      <p>
        <strong>{isFetch ? t("This page could not be loaded") : t("This page crashed")}</strong>
      </p>
      <p>{isFetch ? errorMessageOf(error).detail : message}</p>
      <p>
        <button type="button" onClick={() => location.reload()}>
          {t("Reload")}
        </button>
      </p>
    </div>
  );
}

/** Reloads when the connection returns: a screen that failed to load has no state to lose. A permanent failure must not cause a loop. */
function useReloadWhenBack(isEnabled: boolean): void {
  const { isLive } = useStore(reach);
  const wasLost = useRef(false);
  useEffect(() => {
    if (!isLive) wasLost.current = true;
    else if (isEnabled && wasLost.current) location.reload();
  }, [isLive, isEnabled]);
}
