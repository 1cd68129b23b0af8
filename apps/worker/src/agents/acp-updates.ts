/** Turns `session/update` notifications into bus messages: chunks become whole messages. */
import type { Usage } from "../run/usage.ts";
import { type AgentItem } from "./agent.ts";
import { at, countAt, listAt, formatValue, textAt } from "../process/json-access.ts";

export interface AcpUpdates {
  handle(update: unknown): readonly AgentItem[];
  flush(): readonly AgentItem[];
  answered(result: unknown): void;
  usage(): Usage;
}

type Tokens = Pick<Usage, "inputTokens" | "cachedTokens" | "outputTokens">;

const NOTHING: Tokens = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };

export function createAcpUpdates(): AcpUpdates {
  const startedCalls = new Map<string, string>();
  let pieces: string[] = [];
  /** Some agents send usage with each model response. */
  let along: Tokens = NOTHING;
  let answers = 0;
  /** Others send it once, at the end. */
  let atEnd: Tokens = NOTHING;

  return {
    handle(update) {
      const kind = textAt(update, "sessionUpdate");
      if (kind === "agent_message_chunk") {
        pieces.push(textAt(update, "content", "text"));
        const used = at(update, "_meta", "usage");
        if (used === undefined) return [];
        along = sum(along, tokensOf(used));
        answers++;
        return [];
      }
      return [...flush(), ...toItems(kind, update)];
    },
    flush,
    answered(result) {
      const used = at(result, "usage") ?? at(result, "_meta", "usage");
      if (used !== undefined) atEnd = tokensOf(used);
      for (const model of listAt(result, "_meta", "quota", "model_usage")) atEnd = sum(atEnd, quotaOf(model));
    },
    // Each tool call belongs to a model response, and the last response has no tool call.
    usage: () => ({ ...most(along, atEnd), turns: Math.max(answers, startedCalls.size + 1), costMicro: null }),
  };

  function flush(): readonly AgentItem[] {
    const text = pieces.join("");
    pieces = [];
    return text === "" ? [] : [{ kind: "message", text }];
  }

  function toItems(kind: string, update: unknown): readonly AgentItem[] {
    switch (kind) {
      case "agent_thought_chunk":
        return [{ kind: "log", text: textAt(update, "content", "text") }];
      case "plan":
        return [{ kind: "plan", text: listAt(update, "entries").map(entryOf).join("\n") }];
      case "tool_call":
      case "tool_call_update":
        return toolOf(update);
      default:
        return [];
    }
  }

  function toolOf(update: unknown): readonly AgentItem[] {
    const id = textAt(update, "toolCallId");
    const status = textAt(update, "status");
    const call: AgentItem = { kind: "tool_call", text: calledOf(update) };
    const isNew = !startedCalls.has(id) && status !== "pending" && call.text !== "";
    if (isNew) startedCalls.set(id, status);
    const isOver = status === "completed" || status === "failed";
    const result: AgentItem = { kind: "tool_result", text: resultOf(update, status) };
    return [...(isNew ? [call] : []), ...(isOver ? [result] : [])];
  }
}

function calledOf(update: unknown): string {
  const command = at(update, "rawInput", "command");
  const title = textAt(update, "title");
  return typeof command === "string" && !title.includes(command) ? `${title} ${command}`.trim() : title;
}

function resultOf(update: unknown, status: string): string {
  const parts = listAt(update, "content").map((part) => textAt(part, "content", "text") || textAt(part, "path"));
  const text = parts.filter(Boolean).join("\n");
  const raw = at(update, "rawOutput");
  return `${text === "" && raw !== undefined ? formatValue(raw) : text}${status === "failed" ? "\n[failed]" : ""}`;
}

function entryOf(entry: unknown): string {
  return `[${textAt(entry, "status")}] ${textAt(entry, "content")}`;
}

/** Some agents include cached tokens in the input tokens, others count them separately. The total shows which. */
function tokensOf(used: unknown): Tokens {
  const outputTokens = countAt(used, "outputTokens");
  const total = countAt(used, "totalTokens");
  const inputTokens = total > outputTokens ? total - outputTokens : countAt(used, "inputTokens");
  return { inputTokens, cachedTokens: countAt(used, "cachedReadTokens"), outputTokens };
}

function quotaOf(model: unknown): Tokens {
  return {
    inputTokens: countAt(model, "token_count", "input_tokens"),
    cachedTokens: 0,
    outputTokens: countAt(model, "token_count", "output_tokens"),
  };
}

function sum(one: Tokens, other: Tokens): Tokens {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

function most(one: Tokens, other: Tokens): Tokens {
  return one.inputTokens + one.outputTokens > other.inputTokens + other.outputTokens ? one : other;
}
