/** The members that only read: they plan and review, and leave the tree as it is, which is looked at. */
import type { TSchema, Static } from "typebox";
import { RunFault } from "../run-error.ts";
import type { ReviewComment, ReviewOutcome } from "../run-request.ts";
import type { Scene } from "../phases/run-context.ts";
import { answerIn, Plan, Review } from "./answer.ts";
import { converse } from "./agent-turns.ts";
import { plannerPrompt, repairPrompt, reviewerPrompt, type ReviewParts } from "./prompts.ts";
import type { Seat } from "./team-members.ts";

/** The plan as the coder is told it. */
export async function plan(scene: Scene, seat: Seat): Promise<string> {
  const { focus, memories, verify } = scene.order;
  const prompt = plannerPrompt({ focus, memories, verifyCommand: verify.command });
  const asked = await ask(scene, seat, { schema: Plan, prompt, round: 0 });
  const text = asked.value === undefined ? asked.text : textOf(asked.value);
  scene.reporter.say({ from: speakerOf(seat), kind: "plan", text, round: 0 });
  return text;
}

/** All reviewers are asked, so that the coder hears everything at once. */
export async function review(
  scene: Scene,
  seats: readonly Seat[],
  { round, ...parts }: ReviewParts & { readonly round: number },
): Promise<ReviewOutcome> {
  const prompt = reviewerPrompt(parts);
  const comments: ReviewComment[] = [];
  let isApproved = true;
  for (const seat of seats) {
    const { value, text } = await ask(scene, seat, { schema: Review, prompt, round });
    const said = value ?? { verdict: "changes" as const, comments: text === "" ? [] : [{ path: "", text }] };
    const own = fitting(said.comments.map((comment) => cleaned(scene, comment)));
    scene.reporter.say({
      from: speakerOf(seat),
      kind: "review",
      text: said.verdict,
      data: { verdict: said.verdict, comments: own },
      round,
    });
    comments.push(...own);
    if (said.verdict !== "approve") isApproved = false;
  }
  return { isApproved, comments: fitting(comments).slice(0, COMMENTS_MOST) };
}

const COMMENTS_MOST = 200;
/** A frame takes 256 KiB, and one that is too long is refused for ever. */
const COMMENTS_BYTES = 160 * 1024;

function fitting(comments: readonly ReviewComment[]): readonly ReviewComment[] {
  let bytes = 0;
  return comments.filter((one) => (bytes += Buffer.byteLength(JSON.stringify(one))) <= COMMENTS_BYTES);
}

interface Asking<S extends TSchema> {
  readonly schema: S;
  readonly prompt: string;
  readonly round: number;
}

interface Asked<T> {
  /** Undefined: it did not answer in the form that was asked for, twice. */
  readonly value: T | undefined;
  readonly text: string;
}

/** One repair turn; after that its words are taken as they are. */
async function ask<S extends TSchema>(
  scene: Scene,
  seat: Seat,
  { schema, prompt, round }: Asking<S>,
): Promise<Asked<Static<S>>> {
  const first = await read(scene, seat, { prompt, round });
  const value = answerIn(schema, first);
  if (value !== undefined) return { value, text: last(first) };
  const second = await read(scene, seat, { prompt: repairPrompt(prompt, last(first)), round });
  return { value: answerIn(schema, second), text: last(second) || last(first) };
}

/** Throws `RunFault` `policy_violation` where it changed the tree, or with its trouble where it said nothing. */
async function read(scene: Scene, seat: Seat, word: { readonly prompt: string; readonly round: number }) {
  const before = await scene.snapshots.take();
  const { end, messages, logged } = await converse(scene, seat, word);
  if ((await scene.snapshots.take()) !== before)
    throw new RunFault("policy_violation", `the ${seat.role} changed the tree, which it may only read`);
  if (messages.length === 0 && end.trouble !== null) throw troubleFault(end.trouble);
  // A tool has no messages: what it prints is what it says.
  return messages.length > 0 ? messages : [logged];
}

export function troubleFault({ about, message }: { readonly about: string; readonly message: string }): RunFault {
  return new RunFault(about === "auth" ? "agent_auth" : "agent_error", message);
}

function last(messages: readonly string[]): string {
  return messages.at(-1)?.trim() ?? "";
}

function textOf({ summary, steps }: Plan): string {
  return [summary, ...steps.map((step, place) => `${place + 1}. ${step}`)].filter(Boolean).join("\n");
}

const TEXT_MOST = 4_000;

/** It is shown in a pull request: nothing of it may be a secret, and none of it may be endless. */
function cleaned({ redactor }: Scene, { path, line = null, text }: Review["comments"][number]): ReviewComment {
  return { path: redactor.text(path), line, text: redactor.text(text.trim()).slice(0, TEXT_MOST) };
}

function speakerOf({ role, member }: Seat) {
  return { role, cli: member.cli, model: member.model } as const;
}
