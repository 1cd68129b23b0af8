/** Repos in words. */
import type { RepoStatus } from "@triptych/contracts/plain";
import type { Account, Repo } from "@triptych/contracts";
import type { Tone } from "./runs.ts";

export const REPO_TONES: Readonly<Record<RepoStatus, Tone>> = {
  active: "success",
  checking: "active",
  paused: "rest",
  unreachable: "attention",
};

/** Why no run can be started here now; null where one can. */
export function refusalOf({ status }: Pick<Repo, "status">): string | null {
  if (status === "paused") return "The repository is paused.";
  if (status === "unreachable") return "The repository cannot be reached; it is checked again every 10 minutes.";
  return null;
}

/** Why no scout can be sent; null where one can. */
export function exploreRefusalOf(repo: Pick<Repo, "status">, account: Account | undefined): string | null {
  if (account !== undefined && !account.plan.features.explore) return "Explore requires plan pro.";
  return refusalOf(repo);
}
