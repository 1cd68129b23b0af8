/** Reads the AI policy at the base commit, which may end the run, and conventions for agents. */
import {
  conventionsOf,
  findAiPolicy,
  GUIDELINE_BYTES_MAX,
  GUIDELINE_PATHS,
  type GuidelineFile,
} from "@triptych/change-policy";
import { readTextFiles, type Git } from "@triptych/git";
import type { Redactor } from "@triptych/redaction";
import { PolicyError } from "../run/run-error.ts";

interface ReadContext {
  readonly sha: string;
  readonly redactor: Redactor;
  /** Whether a policy that forbids runs ends this one. */
  readonly isEnforced: boolean;
}

/** Throws `PolicyError`, before any command of the repository runs. */
export async function readGuidelines(
  git: Git,
  { sha, redactor, isEnforced }: ReadContext,
): Promise<readonly GuidelineFile[]> {
  const files = await readTextFiles(git, { sha, paths: GUIDELINE_PATHS, bytesMax: GUIDELINE_BYTES_MAX });
  const finding = findAiPolicy(files, (text) => redactor.text(text));
  if (isEnforced && finding.stance === "forbidden") throw new PolicyError(finding);
  return conventionsOf(files);
}
