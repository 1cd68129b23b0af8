/** One error for everything that is wrong. */
export function issuesError(what: string, issues: readonly string[]): Error {
  return new Error(`${what}:\n${issues.map((issue) => `  ${issue}`).join("\n")}`);
}
