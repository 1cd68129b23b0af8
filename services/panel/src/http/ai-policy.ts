import type * as contract from "@triptych/contracts";
import { createRedactor } from "@triptych/redaction";
import { validationFailed } from "@triptych/server";
import { overridePolicy } from "../domain/ai-policy.ts";
import type { Panel } from "../domain/panel.ts";
import type { AiPolicyRecord, RepoRecord } from "../domain/records.ts";
import type { Repositories } from "../domain/repositories.ts";
import { permit, type Caller } from "./caller.ts";

interface PolicyChange {
  readonly caller: Caller;
  readonly repo: RepoRecord;
  readonly patch: contract.BodyOf<typeof contract.updateRepo>["ai_policy"];
}

const NOTHING_TO_LIFT = "The repository has no AI policy, so there is nothing to override.";
const redactor = createRedactor(new Map());

/** Overrides a policy or applies it again, with an audit entry. Needs `admin`, which tokens of agents lack. */
export async function changedPolicy(
  panel: Pick<Panel, "newId" | "now">,
  { account }: Pick<Repositories, "account">,
  { caller, repo, patch }: PolicyChange,
): Promise<AiPolicyRecord | null> {
  const sent = patch === null ? null : patch?.override;
  if (sent === undefined) return repo.aiPolicy;
  permit(caller, "admin", { changes: true });
  if (sent !== null && (repo.aiPolicy?.stance ?? "none") === "none")
    throw validationFailed([{ path: "/ai_policy/override", reason: "out_of_range", message: NOTHING_TO_LIFT }]);
  const at = panel.now();
  const reason = sent === null ? null : redactor.text(sent.trim().replaceAll(/\s+/g, " "));
  const lifted = reason === null ? null : { by: caller.account.email, reason, at };
  const what = reason === null ? "ai_policy_override_removed" : "ai_policy_overridden";
  const about = `${what} ${repo.id} by ${caller.account.email}`;
  await account.note({ id: panel.newId("aud"), what: reason === null ? about : `${about}: ${reason}`, at });
  return overridePolicy(repo.aiPolicy, lifted);
}
