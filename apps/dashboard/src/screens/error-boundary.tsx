/** A screen that could not be fetched, or that failed: the frame stays, and it can be loaded anew. */
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { reach } from "../api/connection-status.ts";
import { errorMessageOf } from "../components/error-message.tsx";
import { useStore } from "../store.ts";

export class ScreenNotFetched extends Error {
  constructor(cause: unknown) {
    super("the program of this screen did not come", { cause });
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
        <strong>{isFetch ? "This screen could not be fetched" : "This screen has failed"}</strong>
      </p>
      <p>{isFetch ? errorMessageOf(error).detail : message}</p>
      <p>
        <button type="button" onClick={() => location.reload()}>
          Load it again
        </button>
      </p>
    </div>
  );
}

/** Of a screen that did not come there is nothing to lose. One that is missing for another reason is not asked for again and again. */
function useReloadWhenBack(isEnabled: boolean): void {
  const { isLive } = useStore(reach);
  const wasLost = useRef(false);
  useEffect(() => {
    if (!isLive) wasLost.current = true;
    else if (isEnabled && wasLost.current) location.reload();
  }, [isLive, isEnabled]);
}
