export { ADDED_DIFF, readAdded, type AddedText } from "./added-lines.ts";
export { readDiffSize, type DiffSize } from "./diff-size.ts";
export { createMatcher, globIssue } from "./globs.ts";
export { summarizeChange, titleOf, TITLE_MAX, type TitleSource } from "./title.ts";
export { judgeChanges, warningsOf, type Change, type PolicyViolation } from "./policy.ts";
