/** Reads what a project says about contributions from its mirror, at one commit. */
import {
  findAiPolicy,
  GUIDELINE_BYTES_MAX,
  GUIDELINE_PATHS,
  PR_TEMPLATE_PATH,
  type AiFinding,
} from "@triptych/change-policy";
import { GitError, readTextFiles, type Git } from "@triptych/git";
import { createRedactor } from "@triptych/redaction";
import type { RunFacts } from "../domain/records.ts";
import { Unreachable } from "../git/addresses.ts";
import type { Mirrors } from "../git/mirrors.ts";
import type { RemoteRepo } from "../git/remote.ts";

/** `secrets`: values that must not appear in a quote, besides those that look like a secret. */
export async function readAiPolicy(git: Git, sha: string, secrets: readonly string[]): Promise<AiFinding> {
  const files = await readTextFiles(git, { sha, paths: GUIDELINE_PATHS, bytesMax: GUIDELINE_BYTES_MAX });
  const redactor = createRedactor(new Map(secrets.map((secret) => ["repo_credential", secret])));
  return findAiPolicy(files, (text) => redactor.text(text));
}

/** The pull request template at the base of a run. Null if there is none, or if this node has no mirror of the repo. */
export async function readPrTemplate(
  mirrors: Mirrors,
  repo: RemoteRepo,
  base: RunFacts["base"],
): Promise<string | null> {
  if (base === null) return null;
  const request = { sha: base.sha, paths: [PR_TEMPLATE_PATH], bytesMax: GUIDELINE_BYTES_MAX };
  try {
    return await mirrors.use({ repo, branch: base.branch, maxAgeMs: Infinity }, async ({ git }) => {
      const [file] = await readTextFiles(git, request);
      return file?.text ?? null;
    });
  } catch (error) {
    if (error instanceof Unreachable || error instanceof GitError) return null;
    throw error;
  }
}
