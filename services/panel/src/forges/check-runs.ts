/** The check run `triptych` on the head commit of a run. Only the token of a GitHub App may write it. */
import type { ForgeCall } from "./call.ts";
import { done, listOf, membersOf } from "./reading.ts";

export interface CheckRunInput {
  readonly runId: string;
  readonly headSha: string;
  readonly conclusion: "success" | "neutral";
  readonly title: string;
  readonly summary: string;
  readonly detailsUrl: string | undefined;
  readonly completedAt: number;
}

export interface CheckRuns {
  /** Creates at most one check run per run: an existing one is found first. Throws `ForgeError`. */
  report(input: CheckRunInput): Promise<void>;
}

export const CHECK_RUN_NAME = "triptych";

export function checkRunsOf(call: ForgeCall, repo: string): CheckRuns {
  const at = `/repos/${repo}`;
  return {
    async report({ runId, headSha, conclusion, title, summary, detailsUrl, completedAt }) {
      const query = new URLSearchParams({ check_name: CHECK_RUN_NAME, filter: "all", per_page: "100" });
      const found = done(await call("GET", `${at}/commits/${headSha}/check-runs?${query.toString()}`));
      if (listOf(membersOf(found)["check_runs"]).some((run) => run["external_id"] === runId)) return;
      done(
        await call("POST", `${at}/check-runs`, {
          name: CHECK_RUN_NAME,
          head_sha: headSha,
          external_id: runId,
          status: "completed",
          conclusion,
          completed_at: new Date(completedAt).toISOString(),
          output: { title, summary },
          ...(detailsUrl !== undefined && { details_url: detailsUrl }),
        }),
      );
    },
  };
}
