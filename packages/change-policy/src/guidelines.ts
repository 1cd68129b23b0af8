/**
 * Files that describe how to contribute to a project. Names are compared without case, as on GitHub and other forges.
 */
import type { GuidelineFile } from "./ai-policy/find-policy.ts";

export const PR_TEMPLATE_PATH = ".github/PULL_REQUEST_TEMPLATE.md";
export const GUIDELINE_PATHS = [
  "AGENTS.md",
  "CLAUDE.md",
  "CONTRIBUTING.md",
  ".github/CONTRIBUTING.md",
  ".github/copilot-instructions.md",
  PR_TEMPLATE_PATH,
] as const;
/** Bytes read per file; the rest is ignored. */
export const GUIDELINE_BYTES_MAX = 64 * 1024;

/** Files for the agents: all except the pull request template, without duplicates. */
export function conventionsOf(files: readonly GuidelineFile[]): readonly GuidelineFile[] {
  const isTemplate = ({ path }: GuidelineFile) => path.toLowerCase() === PR_TEMPLATE_PATH.toLowerCase();
  const texts = new Set<string>();
  return files.filter((file) => {
    const text = file.text.trim();
    if (isTemplate(file) || text === "" || texts.has(text)) return false;
    texts.add(text);
    return true;
  });
}
