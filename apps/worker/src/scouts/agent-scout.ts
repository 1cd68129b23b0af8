/** A scout with a model: asked once, and once more where its answer cannot be read. It reads and never writes. */
import type { Scene } from "../phases/run-context.ts";
import { RunFault } from "../run-error.ts";
import { converse } from "../team/agent-turns.ts";
import type { Seat } from "../team/team-members.ts";
import { readAnswer, scoutPrompt, secondPrompt } from "./agent-answer.ts";
import type { Copies } from "./scratch-copies.ts";
import type { Finding } from "./finding.ts";
import { hashTree } from "./hash-tree.ts";
import type { Tree } from "./reading/tree.ts";

export interface ScoutAsked {
  readonly copies: Copies;
  /** What there is: evidence that points elsewhere is none. */
  readonly tree: Tree;
  readonly most: number;
}

/** Throws `RunFault`: what a conversation may, `agent_error`, and `policy_violation` where anything was written. */
export async function askScout(scene: Scene, seat: Seat, asked: ScoutAsked): Promise<readonly Finding[]> {
  // Where the kernel holds the tree, it is the tree itself; elsewhere a copy that nobody needs afterwards.
  const isHeld = scene.enclosure.level === "sandbox" || scene.enclosure.level === "container";
  return isHeld ? watched(scene, seat, asked) : asked.copies.inCopy(scene, (copy) => watched(copy, seat, asked));
}

async function watched(scene: Scene, seat: Seat, asked: ScoutAsked): Promise<readonly Finding[]> {
  const before = await hashTree(scene.tree);
  const [said] = await Promise.allSettled([question(scene, seat, asked)]);
  scene.signal.throwIfAborted();
  // Before whatever else went wrong: this is graver. What git does not look at counts too.
  if ((await hashTree(scene.tree)) !== before)
    throw new RunFault("policy_violation", "the scout wrote in the tree that it was to read");
  if (said.status === "rejected") throw said.reason;
  return said.value;
}

async function question(scene: Scene, seat: Seat, { tree, most }: ScoutAsked): Promise<readonly Finding[]> {
  const { focus, memories, verify } = scene.order;
  const prompt = scoutPrompt({ focus, memories, verifyCommand: verify.command, most });
  const first = readAnswer(await wordsOf(scene, seat, { prompt, round: 1 }), tree);
  if (first.kind === "read") return first.findings;
  const again = secondPrompt(prompt, first.why);
  const second = readAnswer(await wordsOf(scene, seat, { prompt: again, round: 2 }), tree);
  if (second.kind === "read") return second.findings;
  throw new RunFault("agent_error", `the scout's answer could not be read: ${second.why}`);
}

/** A tool has no messages: what it prints is what it says. */
async function wordsOf(scene: Scene, seat: Seat, word: { readonly prompt: string; readonly round: number }) {
  const { messages, logged } = await converse(scene, seat, word);
  return messages.length > 0 ? messages : [logged];
}
