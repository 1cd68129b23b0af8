/** Where a change comes from: commits, size, agents, usage and links, at the end of its pull request. */
import type { RunUsage } from "@triptych/contracts";
import { codeSpan } from "./markdown.ts";
import type { RunFacts, RunRecord } from "./records.ts";
import type { RunAgent } from "./run-agents.ts";

interface Subject extends Pick<RunRecord, "id"> {
  readonly facts: Pick<RunFacts, "verify" | "diff" | "agents"> & Partial<Pick<RunFacts, "base" | "headSha" | "usage">>;
}

export const AGENTS_MAX = 10;
export const NAME_LENGTH_MAX = 60;

export function provenanceOf({ id, facts }: Subject, publicUrl: string | undefined): string {
  const { agents = [], base = null, headSha = null, diff, usage, verify } = facts;
  const url = publicUrl === undefined ? null : runUrl(publicUrl, id);
  return [
    diff === null ? "" : sizeOf(diff),
    base === null || headSha === null ? "" : `Base: ${codeSpan(base.sha, 64)}, head: ${codeSpan(headSha, 64)}`,
    agents.length === 0 ? "" : agentsLine(agents),
    usage === undefined ? "" : isWithoutModel(agents) ? "No model was used." : usageLine(usage),
    verify.attempts.length === 0 ? "" : `Attempts at the checks: ${verify.attempts.length}`,
    url === null ? "" : `Run: ${url}`,
    publicUrl === undefined ? "" : `Signed statement: ${originOf(publicUrl)}/api/runs/${id}/statement`,
  ]
    .filter(Boolean)
    .join("\\\n");
}

/** Page of a run in the dashboard. */
export function runUrl(publicUrl: string, runId: string): string {
  return `${originOf(publicUrl)}/runs/${runId}`;
}

function originOf(publicUrl: string): string {
  return publicUrl.replace(/\/$/, "");
}

function agentsLine(agents: readonly RunAgent[]): string {
  const names = agents.slice(0, AGENTS_MAX).map(({ role, cli, version, model }) => {
    const code = (text: string) => codeSpan(text, NAME_LENGTH_MAX);
    const versioned = `${code(cli)}${version ? ` ${code(version)}` : ""}`;
    return `${versioned}${model === null ? "" : ` with ${code(model)}`} (${role})`;
  });
  const more = agents.length > AGENTS_MAX ? ` and ${agents.length - AGENTS_MAX} more` : "";
  return `${agents.length === 1 ? "Agent" : "Agents"}: ${names.join(", ")}${more}`;
}

function isWithoutModel(agents: readonly RunAgent[]): boolean {
  return agents.length > 0 && agents.every(({ cli }) => cli === "mend");
}

function usageLine({ input_tokens, output_tokens, cost_micro, cost_source }: RunUsage): string {
  const tokens = input_tokens + output_tokens;
  const cost = cost_micro === null ? "cost unknown" : `${formatCost(cost_micro)} (${cost_source})`;
  return `Usage: ${tokens} ${tokens === 1 ? "token" : "tokens"} (${input_tokens} in, ${output_tokens} out), ${cost}`;
}

export function formatCost(micro: number): string {
  return `EUR ${(micro / 1_000_000).toFixed(4)}`;
}

function sizeOf({ files, insertions, deletions }: NonNullable<RunFacts["diff"]>): string {
  const count = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
  return `${count(files, "file")}, ${count(insertions, "line")} added, ${deletions} removed.`;
}
