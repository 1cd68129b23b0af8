/** The prompt of an agent scout, and the parser of its untrusted output. */
import { globIssue } from "@triptych/change-policy";
import { CANDIDATE_CATEGORIES, CANDIDATE_EFFORTS, CANDIDATE_RISKS } from "@triptych/contracts";
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";
import { answerIn } from "../team/answer.ts";
import { scoutTask, type TaskParts } from "../team/prompts.ts";
import { fingerprintOf, type Finding } from "../../scouts/finding.ts";
import type { Tree } from "../../scouts/reading/tree.ts";

const ScoutResponse = Type.Object({
  candidates: Type.Array(
    Type.Object({
      title: Type.String({ minLength: 1, maxLength: 120 }),
      focus: Type.String({ minLength: 1, maxLength: 4_000, pattern: "\\S" }),
      gate: Type.Object({
        cmd: Type.String({ minLength: 1, maxLength: 2_000 }),
        timeout_s: Type.Optional(Type.Integer({ minimum: 5, maximum: 7_200 })),
        frozen_paths: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 50 })),
      }),
      category: Type.Enum([...CANDIDATE_CATEGORIES]),
      rationale: Type.String({ maxLength: 2_000 }),
      evidence: Type.Array(
        Type.Object({
          path: Type.String({ minLength: 1, maxLength: 1_000 }),
          line: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
          excerpt: Type.Optional(Type.String({ maxLength: 2_000 })),
        }),
        { minItems: 1, maxItems: 10 },
      ),
      score: Type.Number({ minimum: 0, maximum: 1 }),
      effort: Type.Enum([...CANDIDATE_EFFORTS]),
      risk: Type.Enum([...CANDIDATE_RISKS]),
    }),
    { maxItems: 50 },
  ),
});
type ProposedCandidate = Static<typeof ScoutResponse>["candidates"][number];

export interface ScoutPrompt extends TaskParts {
  readonly most: number;
}

export function scoutPrompt({ focus, memories, verifyCommand, most, conventions }: ScoutPrompt): string {
  const task = `Examine this repository and propose at most ${most} improvements, the most useful first. You have read-only access: change nothing. The maintainers' focus: ${focus}

Each proposal needs a gate: a shell command, run in the root of a fresh copy, that FAILS now and succeeds when the work is done. It is run once before anybody sees your proposal; one that is green now is dropped. Name in \`frozen_paths\` the tests that the gate relies on.${verifyCommand === null ? "" : ` The repository's own proof is: ${verifyCommand}`}

Answer with one JSON object and nothing else, in this form:

${JSON.stringify(ScoutResponse)}`;
  return scoutTask(task, { memories, conventions });
}

export function secondPrompt(prompt: string, why: string): string {
  return `${prompt}\n# Your answer is invalid\n\n${why}\n\nAnswer again: one JSON object in the form above, and nothing else.\n`;
}

export type ReadAnswer =
  | { readonly kind: "read"; readonly findings: readonly Finding[] }
  | { readonly kind: "unreadable"; readonly why: string };

export function readAnswer(messages: readonly string[], tree: Tree): ReadAnswer {
  const value = answerIn(ScoutResponse, messages);
  if (value !== undefined) {
    const issues = value.candidates.flatMap(({ gate }, at) => globIssues(gate.frozen_paths ?? [], at));
    if (issues.length > 0) return { kind: "unreadable", why: issues.slice(0, 10).join("; ") };
    return { kind: "read", findings: value.candidates.map((candidate) => findingOf(candidate, tree)) };
  }
  const rough = answerIn(Type.Object({ candidates: Type.Unknown() }), messages);
  if (rough === undefined) return { kind: "unreadable", why: "it contains no JSON object with `candidates`" };
  const faults = Value.Errors(ScoutResponse, rough).slice(0, 10);
  return {
    kind: "unreadable",
    why: faults.map(({ instancePath, message }) => `${instancePath || "/"}: ${message}`).join("; "),
  };
}

function globIssues(globs: readonly string[], at: number): readonly string[] {
  return globs.flatMap((glob, index) => {
    const issue = globIssue(glob);
    return issue === null ? [] : [`/candidates/${at}/gate/frozen_paths/${index}: the glob ${issue}`];
  });
}

function findingOf({ gate, evidence, ...about }: ProposedCandidate, tree: Tree): Finding {
  const { title, focus, category, rationale, score, effort, risk } = about;
  const existing = evidence.filter(({ path }) => tree.files.has(path));
  return {
    title,
    focus,
    category,
    rationale,
    score,
    effort,
    risk,
    source: "agent",
    // Wording varies between runs; gate and place vary less.
    fingerprint: fingerprintOf("agent", category, gate.cmd.trim(), ...existing.map(({ path }) => path).toSorted()),
    gate: { command: gate.cmd, timeoutS: gate.timeout_s ?? GATE_S, frozenPaths: gate.frozen_paths ?? [] },
    evidence: existing.map(({ path, line = null, excerpt = "" }) => ({ path, line, excerpt })),
  };
}

const GATE_S = 300;
