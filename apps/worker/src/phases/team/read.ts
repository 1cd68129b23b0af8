/** Runs planner and reviewers, which only read; the tree is checked for changes. */
import type { TSchema, Static } from "typebox";
import { RunError } from "../../run/run-error.ts";
import type { ReviewComment, ReviewOutcome } from "../../run/run-request.ts";
import type { RunContext } from "../run-context.ts";
import { answerIn, Plan, Review } from "./answer.ts";
import { runAgentTurn } from "./agent-turns.ts";
import { plannerPrompt, repairPrompt, reviewerPrompt, type ReviewParts } from "./prompts.ts";
import type { TeamMember } from "../../agents/team-members.ts";

/** The plan for the coder's prompt. */
export async function plan(context: RunContext, teamMember: TeamMember): Promise<string> {
  const { focus, memories, verify, followUp } = context.request;
  const { conventions } = context;
  const evidence = followUp?.evidence ?? [];
  const prompt = plannerPrompt({ focus, memories, verifyCommand: verify.command, conventions, evidence });
  const reply = await ask(context, teamMember, { schema: Plan, prompt, round: 0 });
  const text = reply.value === undefined ? reply.text : textOf(reply.value);
  context.reporter.say({ from: agentLabel(teamMember), kind: "plan", text, round: 0 });
  return text;
}

/** All reviewers run, so that the coder receives all comments together. */
export async function review(
  context: RunContext,
  teamMembers: readonly TeamMember[],
  { round, ...parts }: ReviewParts & { readonly round: number },
): Promise<ReviewOutcome> {
  const prompt = reviewerPrompt(parts);
  const comments: ReviewComment[] = [];
  let isApproved = true;
  for (const teamMember of teamMembers) {
    const { value, text } = await ask(context, teamMember, { schema: Review, prompt, round });
    const result = value ?? { verdict: "changes" as const, comments: text === "" ? [] : [{ path: "", text }] };
    const own = fitting(result.comments.map((comment) => cleaned(context, comment)));
    context.reporter.say({
      from: agentLabel(teamMember),
      kind: "review",
      text: result.verdict,
      data: { verdict: result.verdict, comments: own },
      round,
    });
    comments.push(...own);
    if (result.verdict !== "approve") isApproved = false;
  }
  return { isApproved, comments: fitting(comments).slice(0, COMMENTS_MAX) };
}

const COMMENTS_MAX = 200;
/** A frame has at most 256 KiB, and the panel refuses a longer one on every retry. */
const COMMENTS_BYTES = 160 * 1024;

function fitting(comments: readonly ReviewComment[]): readonly ReviewComment[] {
  let bytes = 0;
  return comments.filter((comment) => (bytes += Buffer.byteLength(JSON.stringify(comment))) <= COMMENTS_BYTES);
}

interface Asking<S extends TSchema> {
  readonly schema: S;
  readonly prompt: string;
  readonly round: number;
}

interface ParsedReply<T> {
  /** Undefined after two answers in a wrong format. */
  readonly value: T | undefined;
  readonly text: string;
}

/** Retries an invalid answer once. After that, the text itself is the plan. */
async function ask<S extends TSchema>(
  context: RunContext,
  teamMember: TeamMember,
  { schema, prompt, round }: Asking<S>,
): Promise<ParsedReply<Static<S>>> {
  const first = await read(context, teamMember, { prompt, round });
  const value = answerIn(schema, first);
  if (value !== undefined) return { value, text: last(first) };
  const second = await read(context, teamMember, { prompt: repairPrompt(prompt, last(first)), round });
  return { value: answerIn(schema, second), text: last(second) || last(first) };
}

/** Throws `RunError` `policy_violation` if it changed the tree, or its error where it said nothing. */
async function read(
  context: RunContext,
  teamMember: TeamMember,
  input: { readonly prompt: string; readonly round: number },
) {
  const before = await context.snapshots.take();
  const { end, messages, logged } = await runAgentTurn(context, teamMember, input);
  if ((await context.snapshots.take()) !== before)
    throw new RunError("policy_violation", `the ${teamMember.role} changed the tree, which is read-only`);
  if (messages.length === 0 && end.error !== null) throw toRunError(end.error);
  // A command has no messages, so its output is the answer.
  return messages.length > 0 ? messages : [logged];
}

export function toRunError({ about, message }: { readonly about: string; readonly message: string }): RunError {
  return new RunError(about === "auth" ? "agent_auth" : "agent_error", message);
}

function last(messages: readonly string[]): string {
  return messages.at(-1)?.trim() ?? "";
}

function textOf({ summary, steps }: Plan): string {
  return [summary, ...steps.map((step, index) => `${index + 1}. ${step}`)].filter(Boolean).join("\n");
}

const TEXT_LENGTH_MAX = 4_000;

/** Comments are shown in a pull request, so they are redacted and truncated. */
function cleaned({ redactor }: RunContext, { path, line = null, text }: Review["comments"][number]): ReviewComment {
  return { path: redactor.text(path), line, text: redactor.text(text.trim()).slice(0, TEXT_LENGTH_MAX) };
}

function agentLabel({ role, member }: TeamMember) {
  return { role, cli: member.cli, model: member.model } as const;
}
