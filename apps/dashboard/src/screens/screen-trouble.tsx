/** A screen that could not be fetched, or that failed: the frame stays, and it can be loaded anew. */
import type { ErrorComponentProps } from "@tanstack/react-router";
import { troubleOf } from "../pieces/trouble.tsx";

/** As each browser says it of a module that did not come. */
const NOT_FETCHED = /dynamically imported module|Importing a module script failed/;

export function ScreenTrouble({ error }: ErrorComponentProps) {
  const message = error instanceof Error ? error.message : String(error);
  const isFetch = NOT_FETCHED.test(message);
  return (
    <div role="alert" className="trouble">
      <p>
        <strong>{isFetch ? "This screen could not be fetched" : "This screen has failed"}</strong>
      </p>
      <p>{isFetch ? troubleOf(error).detail : message}</p>
      <p>
        <button type="button" onClick={() => location.reload()}>
          Load it again
        </button>
      </p>
    </div>
  );
}
