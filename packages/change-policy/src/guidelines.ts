/** Files in which a project says how to contribute. Their names are compared without case, as forges do. */
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
/** Of each file; the rest is not read. */
export const GUIDELINE_BYTES_MAX = 64 * 1024;

/** Files for the agents: all but the template, each text once. */
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
