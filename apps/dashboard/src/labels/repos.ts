import type { CandidateState, RepoStatus } from "@triptych/contracts/plain";
import type { Account, Repo } from "@triptych/contracts";
import type { Tone } from "./runs.ts";

export const REPO_TONES: Readonly<Record<RepoStatus, Tone>> = {
  active: "success",
  checking: "active",
  paused: "rest",
  unreachable: "attention",
};

export const PROVIDER_LABELS: Readonly<Record<Repo["provider"], string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea",
  git: "Git",
};

export const CANDIDATE_STATE_LABELS: Readonly<Record<CandidateState, string>> = {
  proposed: "To review",
  selected: "Selected",
  rejected: "Rejected",
  done: "Done",
};

/** Why a run cannot start here; null where it can. */
export function refusalOf({ status }: Pick<Repo, "status">): string | null {
  if (status === "paused") return "The repository is paused.";
  if (status === "unreachable") return "The repository is unreachable. The panel retries every 10 minutes.";
  return null;
}

/** Also of the project's AI policy, which allows exploring. */
export function runRefusalOf(repo: Pick<Repo, "status" | "ai_policy">): string | null {
  const { stance, override } = repo.ai_policy;
  if (stance === "forbidden" && override === null) return "The project does not accept contributions made with AI.";
  return refusalOf(repo);
}

const STANCES: Readonly<Record<Repo["ai_policy"]["stance"], readonly [Tone, string]>> = {
  forbidden: ["failure", "The project does not accept contributions made with AI"],
  human_only: ["attention", "A person must open or review contributions made with AI"],
  disclose: ["rest", "Contributions must say that AI was used"],
  none: ["rest", "No AI policy found"],
};

export function describePolicy({ ai_policy: { stance, override } }: Pick<Repo, "ai_policy">) {
  const [tone, text] = STANCES[stance];
  return override === null ? { tone, text } : { tone: "rest" as const, text: `${text} (overridden)` };
}

/** Why an explore run cannot start; null where it can. */
export function exploreRefusalOf(repo: Pick<Repo, "status">, account: Account | undefined): string | null {
  if (account !== undefined && !account.plan.features.explore) return "Explore requires the Pro plan.";
  return refusalOf(repo);
}

interface CheckSummary {
  readonly tone: Tone;
  readonly text: string;
  readonly output: string | null;
}

export function describeCheck({ check, default_branch }: Pick<Repo, "check" | "default_branch">): CheckSummary {
  if (check === null) return { tone: "rest", text: "Setup and tests have not been checked", output: null };
  const { state, message, setup, verify } = check;
  switch (state) {
    case "pending":
      return { tone: "active", text: "Waiting for a worker to check setup and tests…", output: null };
    case "running":
      return { tone: "active", text: "Checking setup and tests on a worker…", output: null };
    case "passed":
      return { tone: "success", text: PASSED[`${setup !== null} ${verify !== null}`] ?? "Checks pass", output: null };
    case "failed": {
      const what = setup !== null && setup.exit_code !== 0 ? "Setup fails" : "Tests fail";
      return { tone: "failure", text: `${what} on ${default_branch ?? "the default branch"}`, output: message };
    }
    case "unavailable":
      return { tone: "attention", text: `Cannot be checked: ${message ?? "unknown reason"}`, output: null };
  }
}

/** By whether there is a setup command, and a test command. */
const PASSED: Readonly<Record<string, string>> = {
  "true true": "Setup works, tests pass",
  "true false": "Setup works",
  "false true": "Tests pass",
};

/** Hosts of the lock file that the network policy blocks. An open network reaches all; `none` is a choice. */
export function missingHosts({
  detected_hosts,
  isolation: { network, allow_hosts },
  verify,
}: Pick<Repo, "detected_hosts" | "isolation" | "verify">): readonly string[] {
  if (network === "open" || network === "none" || verify.setup_cmd === null) return [];
  const isAllowed = (host: string) => network === "allow_list" && allow_hosts.includes(host);
  return detected_hosts.filter((host) => !isAllowed(host));
}
