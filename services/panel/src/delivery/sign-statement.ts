/** Signs the statement of a run that has just been pushed. */
import { createRedactor } from "@triptych/redaction";
import type { SigningKey } from "@triptych/encryption";
import type { RunRecord } from "../domain/records.ts";
import type { Repositories } from "../domain/repositories.ts";
import { signStatement, statementOf } from "../domain/statement.ts";
import { targetBranchOf } from "../domain/run-branch.ts";
import type { RemoteRepo } from "../git/remote.ts";
import { enforcesNetwork } from "../queue/rules.ts";
import { findLogs } from "./check-logs.ts";

const redactor = createRedactor(new Map());

export interface SigningContext {
  readonly repo: Pick<RemoteRepo, "id" | "url" | "provider">;
  readonly key: SigningKey;
  readonly panel: { readonly url: string; readonly version: string };
  readonly at: number;
}

/** Builds the envelope from the facts of the transaction that records the push. */
export async function signRun(
  { uploads }: Pick<Repositories, "uploads">,
  run: RunRecord,
  { repo, key, panel, at }: SigningContext,
): Promise<string> {
  const { isolationLevel } = run.facts;
  const { network } = run.spec.settings.isolation;
  const statement = statementOf({
    run,
    repo,
    branch: targetBranchOf(run),
    pushedAt: at,
    network: isolationLevel === null ? null : enforcesNetwork(isolationLevel) ? network : "open",
    logs: await findLogs(uploads, run),
    panel,
    redact: redactor.text,
  });
  return signStatement(statement, key);
}
