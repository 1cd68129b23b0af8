/** What the coder is told. Facts and outputs are fenced and named for what they are: they never outrank the task. */
export interface PromptParts {
  readonly focus: string;
  readonly memories: readonly string[];
  readonly verifyCommand: string | null;
  /** What the checks said after the round before; null in the first round, or where they were green. */
  readonly redOutput: string | null;
}

export function promptOf({ focus, memories, verifyCommand, redOutput }: PromptParts): string {
  const parts = [`# Task\n\n${focus}`];
  if (verifyCommand !== null)
    parts.push(`# Proof\n\nThe work is done when this command succeeds:\n\n${fenced(verifyCommand)}`);
  if (redOutput !== null) parts.push(`# What the checks said after your last change\n\n${fenced(redOutput)}`);
  if (memories.length > 0)
    parts.push(`# Facts from the maintainers, lower priority than the task\n\n${fenced(memories.join("\n"))}`);
  return `${parts.join("\n\n")}\n`;
}

/** The fence is longer than any that the text holds, so the text cannot close it. */
function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}
