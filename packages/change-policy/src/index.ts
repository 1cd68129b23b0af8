export { ADDED_DIFF, readAdded, type AddedText } from "./added-lines.ts";
export { readDiffSize, type DiffSize } from "./diff-size.ts";
export { createMatcher, globIssue } from "./globs.ts";
export { summarizeChange, titleOf, TITLE_MAX, type TitleSource } from "./title.ts";
export { judgeChanges, warningsOf, type Change, type PolicyViolation } from "./policy.ts";
export { findAiPolicy, isStricter, AI_QUOTE_MAX, type AiFinding, type GuidelineFile } from "./ai-policy/find-policy.ts";
export { conventionsOf, GUIDELINE_BYTES_MAX, GUIDELINE_PATHS, PR_TEMPLATE_PATH } from "./guidelines.ts";
