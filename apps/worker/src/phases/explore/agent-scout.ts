/** A scout with a model: one prompt, and one retry for unreadable output. It never writes. */
import type { RunContext } from "../run-context.ts";
import { RunError } from "../../run/run-error.ts";
import { runAgentTurn } from "../team/agent-turns.ts";
import type { TeamMember } from "../../agents/team-members.ts";
import { readAnswer, scoutPrompt, secondPrompt } from "./agent-answer.ts";
import type { Copies } from "./scratch-copies.ts";
import type { Finding } from "../../scouts/finding.ts";
import { hashTree } from "./hash-tree.ts";
import type { Tree } from "../../scouts/reading/tree.ts";

export interface AskScoutOptions {
  readonly copies: Copies;
  /** The files of the commit; evidence that points elsewhere is dropped. */
  readonly tree: Tree;
  readonly most: number;
}

/** Throws `RunError`: the codes of a session, `agent_error`, and `policy_violation` after any write. */
export async function askScout(
  context: RunContext,
  teamMember: TeamMember,
  options: AskScoutOptions,
): Promise<readonly Finding[]> {
  // The tree itself if the sandbox protects it, otherwise a disposable copy.
  const isSandboxed = context.sandbox.level === "sandbox" || context.sandbox.level === "container";
  return isSandboxed
    ? watched(context, teamMember, options)
    : options.copies.inCopy(context, (copy) => watched(copy, teamMember, options));
}

async function watched(
  context: RunContext,
  teamMember: TeamMember,
  options: AskScoutOptions,
): Promise<readonly Finding[]> {
  const before = await hashTree(context.tree);
  const [outcome] = await Promise.allSettled([question(context, teamMember, options)]);
  context.signal.throwIfAborted();
  // Checked before any other error, because it is more severe. Ignored files count too.
  if ((await hashTree(context.tree)) !== before)
    throw new RunError("policy_violation", "the scout changed the tree, which is read-only");
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}

async function question(
  context: RunContext,
  teamMember: TeamMember,
  { tree, most }: AskScoutOptions,
): Promise<readonly Finding[]> {
  const { focus, memories, verify } = context.request;
  const { conventions } = context;
  const prompt = scoutPrompt({ focus, memories, verifyCommand: verify.command, most, conventions });
  const first = readAnswer(await readReply(context, teamMember, { prompt, round: 1 }), tree);
  if (first.kind === "read") return first.findings;
  const again = secondPrompt(prompt, first.why);
  const second = readAnswer(await readReply(context, teamMember, { prompt: again, round: 2 }), tree);
  if (second.kind === "read") return second.findings;
  throw new RunError("agent_error", `the scout's answer is invalid: ${second.why}`);
}

async function readReply(
  context: RunContext,
  teamMember: TeamMember,
  input: { readonly prompt: string; readonly round: number },
) {
  const { messages, logged } = await runAgentTurn(context, teamMember, input);
  return messages.length > 0 ? messages : [logged];
}
