/**
 * Finds or creates the pull request of a pushed run. It checks in the order of the contract: the forge, another run with the same change,
 * whether the branch is unchanged. Only then it creates one; after an unclear result it queries the forge again.
 */
import type { RunPr } from "@triptych/contracts";
import { createRedactor } from "@triptych/redaction";
import type { EffectRefusal } from "../domain/effects.ts";
import type { OpenPrInput } from "../domain/delivery.ts";
import { effectiveStance, policyRefusal } from "../domain/ai-policy.ts";
import { guidedPrText } from "../domain/pr-guidelines.ts";
import type { LogTails } from "../domain/pr-checks.ts";
import type { PrText } from "../domain/pr-text.ts";
import type { RunRecord } from "../domain/records.ts";
import { ForgeError, type Forge, type ForgePr } from "../forges/forge.ts";
import { branchOf } from "../domain/run-branch.ts";
import type { RemoteRepo } from "../git/remote.ts";
import { readPrTemplate } from "./guidelines.ts";
import { pushRun, refusal, type PushTools } from "./push.ts";

const redactor = createRedactor(new Map());

export type OpenPrResult =
  | { readonly kind: "open"; readonly pr: RunPr; readonly isNew: boolean }
  | { readonly kind: "refused"; readonly refusal: EffectRefusal };

export interface Opening {
  readonly push: PushTools;
  readonly forge: Forge;
  readonly repo: RemoteRepo;
  readonly run: RunRecord;
  readonly input: OpenPrInput;
  readonly twinUrl: () => Promise<string | null>;
  readonly readLogs: () => Promise<LogTails>;
  readonly now: () => number;
  readonly publicUrl: string | undefined;
}

export async function openPr(opening: Opening): Promise<OpenPrResult> {
  try {
    return await findOrMake(opening);
  } catch (error) {
    if (error instanceof ForgeError) return refused(forgeError(error, opening.now()));
    throw error;
  }
}

async function findOrMake(opening: Opening): Promise<OpenPrResult> {
  const { push, forge, repo, run, input, twinUrl } = opening;
  const branch = branchOf(run.id);
  const existing = await forge.findPrsByHead(branch);
  // An open pull request belongs to this run, whatever happened to older ones. After a merged one, no new one is created.
  const present =
    existing.find(({ state }) => state === "open") ?? existing.find(({ state }) => state === "merged") ?? existing[0];
  if (present !== undefined && present.state !== "open" && (present.state === "merged" || !input.reopen))
    return refused(about("pr_closed", `The pull request of this run was ${present.state}.`, present.url));
  if (present?.state !== "open") {
    const twin = await twinUrl();
    if (twin !== null)
      return refused(about("duplicate_patch", "Another run has an open pull request with the same change.", twin));
  }
  const missing = await pushRun(push, repo, { run, forge });
  if (missing !== null) return refused(missing);
  if (present?.state === "open") return adopted(present);
  if (present !== undefined) {
    const reopened = await forge.reopenPr(present.number);
    if (reopened?.state === "open") return { kind: "open", pr: { ...reopened, adopted: false }, isNew: false };
  }
  return make(opening, branch);
}

async function make(opening: Opening, branch: string): Promise<OpenPrResult> {
  const { forge, repo, run, input } = opening;
  const { pr: settings } = run.spec.settings;
  const { labels, reviewers } = settings;
  const policy = run.facts.aiPolicy ?? null;
  const forbidden = policyRefusal(policy, { provider: repo.provider, reviewers });
  if (forbidden !== null)
    return refused({ ...refusal("policy_forbids", forbidden.detail, { isFinal: true }), members: forbidden.members });
  const { isDraftAnyway, ...text } = await textOf(opening);
  const assignees = effectiveStance(policy) === "human_only" ? reviewers.slice(0, 1) : [];
  const draft = isDraftAnyway || (input.draft ?? settings.draft);
  try {
    const base = run.facts.base?.branch ?? "";
    const made = await forge.createPr({ ...text, branch, base, draft, labels });
    // Labels and reviewers are optional: an unknown label must not fail the pull request.
    await forge.decorate(made.number, { labels, reviewers, assignees }).catch(ignoreFault);
    return { kind: "open", pr: { ...made, adopted: false }, isNew: true };
  } catch (error) {
    if (!(error instanceof ForgeError) || error.kind === "refused") throw error;
    const openPr = (await forge.findPrsByHead(branch)).find(({ state }) => state === "open");
    if (openPr === undefined) throw error;
    return adopted(openPr);
  }
}

async function textOf({ push, repo, run, publicUrl, readLogs }: Opening): Promise<PrText> {
  const template = await readPrTemplate(push.mirrors, repo, run.facts.base);
  // Focus, evidence and comments are quoted and may contain a pasted secret.
  return guidedPrText(run, { template, publicUrl, logs: await readLogs(), redact: redactor.text });
}

function adopted(pr: ForgePr): OpenPrResult {
  return { kind: "open", pr: { ...pr, adopted: true }, isNew: false };
}

function refused(refusal: EffectRefusal): OpenPrResult {
  return { kind: "refused", refusal };
}

function about(code: "pr_closed" | "duplicate_patch", detail: string, url: string): EffectRefusal {
  return { ...refusal(code, detail, { isFinal: true }), members: { pr_url: url } };
}

function forgeError({ message, status, retryAfterS }: ForgeError, now: number): EffectRefusal {
  return {
    ...refusal("forge_error", message, { isFinal: false }),
    members: { forge_status: status },
    retryAt: retryAfterS === null ? null : now + retryAfterS * 1000,
  };
}

function ignoreFault(error: unknown): void {
  if (!(error instanceof ForgeError)) throw error;
}
