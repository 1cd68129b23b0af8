import { ProblemError } from "@triptych/client";
import { Link } from "@tanstack/react-router";

export function ProblemLink({ error }: { readonly error: unknown }) {
  const runId = error instanceof ProblemError ? error.body["run_id"] : undefined;
  return typeof runId === "string" ? (
    <Link to="/runs/$id" params={{ id: runId }}>
      Open that run
    </Link>
  ) : null;
}
