/** `cline --json`. Takes its task from its arguments, and the model's address from a settings folder. */
import { shortened } from "../run/reporter.ts";
import type { AgentItem } from "./agent.ts";
import { type Usage, NO_USAGE } from "../run/usage.ts";
import { USUAL_OPENAI_MODEL } from "./cli.ts";
import type { JsonlCli, EventHandler } from "./jsonl.ts";
import { at, countAt, listAt, formatValue, textAt } from "../process/json-access.ts";

/** The kernel's limit for one argument. Such a task is mostly check output, whose end shows the error. */
const PROMPT_BYTES = 120_000;

export const cline: JsonlCli = {
  name: "cline",
  program: "cline",
  since: "3.0.0",
  install: "npm install --global cline",
  provider: "openai",
  begin({ mode, model, prompt }, { address, pass }) {
    return {
      args: [
        ..."--json --auto-approve true".split(" "),
        ...(mode === "ro" ? ["--plan"] : []),
        ...(address === null && model !== null ? ["--model", model] : []),
        "--",
        shortened(prompt, PROMPT_BYTES),
      ],
      ...(address !== null && { files: { [SETTINGS]: settingsOf(address, pass, model) } }),
    };
  },
  listen,
};

const SETTINGS = ".cline/data/settings/providers.json";

function settingsOf(baseUrl: string, apiKey: string, model: string | null): string {
  const provider = "openai-compatible";
  const settings = { provider, apiKey, baseUrl, model: model ?? USUAL_OPENAI_MODEL };
  const entry = { settings, updatedAt: "2026-01-01T00:00:00.000Z", tokenSource: "manual" };
  return JSON.stringify({ version: 1, lastUsedProvider: provider, modes: {}, providers: { [provider]: entry } });
}

function listen(): EventHandler {
  let usage: Usage = NO_USAGE;
  let error: string | null = null;
  return {
    handle(event) {
      if (textAt(event, "type") === "agent_event") return toItems(at(event, "event"));
      if (textAt(event, "type") !== "run_result") return [];
      usage = usageOf(event);
      if (textAt(event, "finishReason") !== "completed") error = textAt(event, "text") || "the agent gave up";
      return [];
    },
    usage: () => usage,
    error: () => error,
  };
}

function toItems(event: unknown): readonly AgentItem[] {
  const isTool = textAt(event, "contentType") === "tool";
  switch (textAt(event, "type")) {
    case "content_start":
      if (!isTool) return [];
      return [{ kind: "tool_call", text: `${textAt(event, "toolName")} ${formatValue(at(event, "input"))}` }];
    case "content_end":
      if (isTool) return [{ kind: "tool_result", text: outputOf(event) }];
      return [{ kind: "message", text: textAt(event, "text") }];
    default:
      return [];
  }
}

function outputOf(event: unknown): string {
  const results = listAt(event, "output").map((entry) => textAt(entry, "result"));
  return results.length > 0 ? results.join("\n") : formatValue(at(event, "output"));
}

function usageOf(event: unknown): Usage {
  const used = at(event, "aggregateUsage");
  const dollars = at(used, "totalCost");
  return {
    inputTokens: countAt(used, "inputTokens"),
    cachedTokens: countAt(used, "cacheReadTokens"),
    outputTokens: countAt(used, "outputTokens"),
    turns: countAt(event, "iterations"),
    // It reports 0 for a model without a price.
    costMicro: typeof dollars === "number" && dollars > 0 ? Math.ceil(dollars * 1_000_000) : null,
  };
}
