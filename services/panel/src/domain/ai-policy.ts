/** What a project says about contributions made with AI, and which runs that permits. Pure. */
import { AI_QUOTE_MAX, isStricter, type AiFinding } from "@triptych/change-policy";
import type { AiPolicy, AiStance } from "@triptych/contracts";
import type { AiOverride, AiPolicyRecord, RepoRecord } from "./records.ts";
import { DomainError } from "./domain-error.ts";

export function withFinding(before: AiPolicyRecord | null, finding: AiFinding, checkedAt: number): AiPolicyRecord {
  const override = before?.override ?? null;
  const isLifted = override !== null && !isStricter(finding.stance, override.stance);
  return { ...finding, checkedAt, override: isLifted ? override : null };
}

/** `none` while a person overrides it. */
export function effectiveStance(policy: AiPolicyRecord | null): AiStance {
  return policy === null || policy.override !== null ? "none" : policy.stance;
}

export function overridePolicy(
  before: AiPolicyRecord | null,
  override: Omit<AiOverride, "stance"> | null,
): AiPolicyRecord | null {
  if (before === null) return null;
  return { ...before, override: override === null ? null : { ...override, stance: before.stance } };
}

type PolicyRepo = Pick<RepoRecord, "id" | "aiPolicy" | "provider" | "settings">;

/** Throws `policy_forbids`. A run that does not exist yet gets the reviewers of the repository. */
export function refuseByPolicy(repo: PolicyRepo): void {
  const { reviewers } = repo.settings.pr;
  const refusal = policyRefusal(repo.aiPolicy, { provider: repo.provider, reviewers });
  if (refusal !== null)
    throw new DomainError("policy_forbids", { ...refusal, members: { repo_id: repo.id, ...refusal.members } });
}

interface PolicyRefusal {
  readonly detail: string;
  readonly members: { readonly stance: AiStance; readonly quote: string | null; readonly source: string | null };
}

interface PolicySubject {
  readonly provider: RepoRecord["provider"];
  readonly reviewers: readonly string[];
}

/** Plain git has no pull requests, so a person proposes the branch there. */
export function policyRefusal(
  policy: AiPolicyRecord | null,
  { provider, reviewers }: PolicySubject,
): PolicyRefusal | null {
  const stance = effectiveStance(policy);
  if (policy === null || (stance !== "forbidden" && stance !== "human_only")) return null;
  const members = { stance, quote: policy.quote, source: policy.source };
  const quoted = quotedSentence(policy);
  if (stance === "forbidden")
    return { members, detail: `The project does not accept contributions made with AI. ${quoted}` };
  if (provider === "git" || reviewers.length > 0) return null;
  return { members, detail: `The project requires a person. Name one in \`pr.reviewers\`. ${quoted}` };
}

export function quotedSentence({ source, quote }: Pick<AiFinding, "source" | "quote">): string {
  return `${source ?? ""}: “${quote ?? ""}”`;
}

/** As reported by a worker, whose frame is bounded but not trusted. */
export function reportedFinding(
  { stance, source, quote }: { readonly stance: AiStance; readonly source: string; readonly quote: string },
  redact: (text: string) => string,
): AiFinding {
  return { stance, source: redact(source), quote: redact(quote).slice(0, AI_QUOTE_MAX) };
}

export function aiPolicyShape(policy: AiPolicyRecord | null): AiPolicy {
  if (policy === null) return { stance: "none", source: null, quote: null, checked_at: null, override: null };
  const { stance, source, quote, checkedAt, override } = policy;
  return {
    stance,
    source,
    quote,
    checked_at: new Date(checkedAt).toISOString(),
    override: override === null ? null : `allowed by ${override.by}, ${override.reason}`,
  };
}
