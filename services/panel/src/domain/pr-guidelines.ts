/** Applies what a project requires of pull requests to the panel's text: disclosure, draft, template. Pure. */
import { effectiveStance } from "./ai-policy.ts";
import { codeSpan } from "./markdown.ts";
import { type LogTails, NO_LOGS } from "./pr-checks.ts";
import { AGENTS_MAX, NAME_LENGTH_MAX } from "./pr-provenance.ts";
import { PR_BODY_BYTES_MAX, prTextOf, type PrSubject, type PrText } from "./pr-text.ts";
import { fillTemplate } from "./pr-template.ts";
import type { RunFacts } from "./records.ts";
import type { RunAgent } from "./run-agents.ts";

export interface GuidedRun extends PrSubject {
  readonly facts: PrSubject["facts"] & Pick<RunFacts, "aiPolicy">;
}

interface Guidelines {
  readonly template: string | null;
  readonly publicUrl?: string | undefined;
  readonly logs?: LogTails;
  readonly redact: (text: string) => string;
}

export function guidedPrText(run: GuidedRun, { template, publicUrl, logs = NO_LOGS, redact }: Guidelines): PrText {
  const { title, body, isDraftAnyway } = prTextOf(run, publicUrl, logs);
  const stance = effectiveStance(run.facts.aiPolicy ?? null);
  const disclosure = disclosureOf(run.facts.agents ?? []);
  const lead = stance === "disclose" ? disclosure : "";
  const filled = template === null ? null : filledTemplate(run, { template, title, disclosure });
  // Redaction can lengthen a text. The project's template is dropped first, then logs, which are also stored as artifacts.
  const bodies = [
    () => [lead, filled === null ? "" : `${filled}\n\n---`, body],
    () => [lead, body],
    () => [lead, prTextOf(run, publicUrl).body],
  ].map((parts) => () => redact(parts().filter(Boolean).join("\n\n")));
  return {
    title: redact(title),
    body: firstFitting(bodies),
    isDraftAnyway: isDraftAnyway || stance === "human_only",
  };
}

const TITLE_LENGTH_MAX = 200;

interface TemplateInput {
  readonly template: string;
  readonly title: string;
  readonly disclosure: string;
}

function filledTemplate({ facts, spec }: GuidedRun, { template, title, disclosure }: TemplateInput): string | null {
  const hasPassed = facts.verify.verdict === "passed";
  return fillTemplate(template, {
    // The title is part of the focus: in a code span, it mentions nobody and closes no issue.
    summary: `${codeSpan(title, TITLE_LENGTH_MAX)}. Details, commands and results are below.`,
    checks: hasPassed ? "The commands below pass at the head of this branch." : "See the results below.",
    disclosure,
    hasPassedTests: hasPassed && spec.verifyCmd !== null,
  });
}

/** The first body within the limit; the last one if none fits. */
function firstFitting(bodies: readonly (() => string)[]): string {
  let body = "";
  for (const next of bodies) {
    body = next();
    if (Buffer.byteLength(body) <= PR_BODY_BYTES_MAX) break;
  }
  return body;
}

/** One line: agents and models, whatever the settings say. */
function disclosureOf(agents: readonly RunAgent[]): string {
  if (agents.length === 0) return "This change was made automatically. Its agent and model were not reported.";
  const code = (text: string) => codeSpan(text, NAME_LENGTH_MAX);
  const names = agents
    .slice(0, AGENTS_MAX)
    .map(({ cli, model }) => `${code(cli)}, model ${model === null ? "not reported" : code(model)}`);
  return `This change was made by an automated agent: ${[...new Set(names)].join("; ")}.`;
}
