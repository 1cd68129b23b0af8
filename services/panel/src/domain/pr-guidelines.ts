/** Applies what a project requires of pull requests to the panel's text: disclosure, draft, template. Pure. */
import { effectiveStance } from "./ai-policy.ts";
import { PR_BODY_BYTES_MAX, prTextOf, type PrSubject, type PrText } from "./pr-text.ts";
import { fillTemplate } from "./pr-template.ts";
import type { RunAgent, RunFacts } from "./records.ts";

export interface GuidedRun extends PrSubject {
  readonly facts: PrSubject["facts"] & Pick<RunFacts, "aiPolicy">;
}

interface Guidelines {
  readonly template: string | null;
  readonly publicUrl?: string | undefined;
}

export function guidedPrText(run: GuidedRun, { template, publicUrl }: Guidelines): PrText {
  const text = prTextOf(run, publicUrl);
  const stance = effectiveStance(run.facts.aiPolicy ?? null);
  const disclosure = disclosureOf(run.facts.agents ?? []);
  const { verdict } = run.facts.verify;
  const filled =
    template === null
      ? null
      : fillTemplate(template, {
          summary: `${text.title}. Details, commands and results are below.`,
          checks:
            verdict === "passed" ? "The commands below pass at the head of this branch." : "See the results below.",
          disclosure,
          hasPassedTests: verdict === "passed" && run.spec.verifyCmd !== null,
        });
  const lead = stance === "disclose" ? disclosure : "";
  return {
    title: text.title,
    body: fitting([lead, filled === null ? "" : `${filled}\n\n---`, text.body], [lead, text.body]),
    isDraftAnyway: text.isDraftAnyway || stance === "human_only",
  };
}

/** The proof is never cut for a template: an oversized one is left out. */
function fitting(parts: readonly string[], essential: readonly string[]): string {
  const body = parts.filter(Boolean).join("\n\n");
  return Buffer.byteLength(body) <= PR_BODY_BYTES_MAX ? body : essential.filter(Boolean).join("\n\n");
}

/** One line: agents and models, whatever the settings say. */
function disclosureOf(agents: readonly RunAgent[]): string {
  if (agents.length === 0) return "This change was made automatically. Its agent and model were not reported.";
  const names = agents.map(({ cli, model }) => `${code(cli)}, model ${model === null ? "not reported" : code(model)}`);
  return `This change was made by an automated agent: ${[...new Set(names)].join("; ")}.`;
}

function code(text: string): string {
  return `\`${text.replaceAll(/[`\p{Cc}]/gu, "")}\``;
}
