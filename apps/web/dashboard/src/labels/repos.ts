import type { CandidateCategory, CandidateState, RepoStatus } from "@triptych/contracts/plain";
import type { Account, Repo } from "@triptych/contracts";
import type { Tone } from "./runs.ts";
import { t } from "../i18n.ts";

export const REPO_TONES: Readonly<Record<RepoStatus, Tone>> = {
  active: "success",
  checking: "active",
  paused: "rest",
  unreachable: "attention",
};

export const REPO_STATUS_LABELS: Readonly<Record<RepoStatus, string>> = {
  active: t("active"),
  checking: t("checking"),
  paused: t("paused"),
  unreachable: t("unreachable"),
};

export const NETWORK_LABELS: Readonly<Record<Repo["isolation"]["network"], string>> = {
  none: t("none"),
  model_only: t("model only"),
  allow_list: t("allow list"),
  open: t("open"),
};

const CREDENTIAL_LABELS: Readonly<Record<string, string>> = {
  token: t("token"),
  basic: t("basic"),
  ssh_key: t("ssh key"),
  github_app: t("github app"),
};

export function credentialLabel(kind: string): string {
  return CREDENTIAL_LABELS[kind] ?? kind;
}

/** The end of a sentence: what the credential allows, as far as it is known. */
export function describeRights({ push, open_pr }: Pick<Repo["credential"], "push" | "open_pr">): string {
  const pushes = push === null ? "" : push ? t(", can push") : t(", cannot push");
  const opens = open_pr === null ? "" : open_pr ? t(", can open pull requests") : t(", cannot open pull requests");
  return `${pushes}${opens}`;
}

export const PROVIDER_LABELS: Readonly<Record<Repo["provider"], string>> = {
  github: "GitHub",
  gitlab: "GitLab",
  gitea: "Gitea",
  git: "Git",
};

export const CANDIDATE_STATE_LABELS: Readonly<Record<CandidateState, string>> = {
  proposed: t("To review"),
  selected: t("Selected"),
  rejected: t("Rejected"),
  done: t("Done"),
};

export const CATEGORY_LABELS: Readonly<Record<CandidateCategory, string>> = {
  bug: t("bug"),
  security: t("security"),
  test: t("test"),
  deps: t("deps"),
  perf: t("perf"),
  docs: t("docs"),
  cleanup: t("cleanup"),
};

/** Why a run cannot start here; null if it can. */
export function refusalOf({ status }: Pick<Repo, "status">): string | null {
  if (status === "paused") return t("The repository is paused.");
  if (status === "unreachable") return t("The repository is unreachable. The panel retries every 10 minutes.");
  return null;
}

/** Also considers the project's AI policy, which never forbids exploring. */
export function runRefusalOf(repo: Pick<Repo, "status" | "ai_policy">): string | null {
  const { stance, override } = repo.ai_policy;
  if (stance === "forbidden" && override === null) return t("The project does not accept contributions made with AI.");
  return refusalOf(repo);
}

const STANCES: Readonly<Record<Repo["ai_policy"]["stance"], readonly [Tone, string]>> = {
  forbidden: ["failure", t("The project does not accept contributions made with AI")],
  human_only: ["attention", t("A person must open or review contributions made with AI")],
  disclose: ["rest", t("Contributions must say that AI was used")],
  none: ["rest", t("No AI policy found")],
};

export function describePolicy({ ai_policy: { stance, override } }: Pick<Repo, "ai_policy">) {
  const [tone, text] = STANCES[stance];
  return override === null ? { tone, text } : { tone: "rest" as const, text: t("{text} (overridden)", { text }) };
}

/** Why an explore run cannot start; null if it can. */
export function exploreRefusalOf(repo: Pick<Repo, "status">, account: Account | undefined): string | null {
  if (account !== undefined && !account.plan.features.explore) return t("Explore requires the Pro plan.");
  return refusalOf(repo);
}

interface CheckSummary {
  readonly tone: Tone;
  readonly text: string;
  readonly output: string | null;
}

export function describeCheck({ check, default_branch }: Pick<Repo, "check" | "default_branch">): CheckSummary {
  if (check === null) return { tone: "rest", text: t("Setup and tests have not been checked"), output: null };
  const { state, message, setup, verify } = check;
  switch (state) {
    case "pending":
      return { tone: "active", text: t("Waiting for a worker to check setup and tests…"), output: null };
    case "running":
      return { tone: "active", text: t("Checking setup and tests on a worker…"), output: null };
    case "passed":
      return {
        tone: "success",
        text: PASSED[`${setup !== null} ${verify !== null}`] ?? t("Checks pass"),
        output: null,
      };
    case "failed": {
      const branch = default_branch ?? t("the default branch");
      const text =
        setup !== null && setup.exit_code !== 0
          ? t("Setup fails on {branch}", { branch })
          : t("Tests fail on {branch}", { branch });
      return { tone: "failure", text, output: message };
    }
    case "unavailable":
      return {
        tone: "attention",
        text: t("Cannot be checked: {reason}", { reason: message ?? t("unknown reason") }),
        output: null,
      };
  }
}

/** Keyed by whether there is a setup command and a test command. */
const PASSED: Readonly<Record<string, string>> = {
  "true true": t("Setup works, tests pass"),
  "true false": t("Setup works"),
  "false true": t("Tests pass"),
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
