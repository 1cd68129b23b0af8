/**
 * `claude -p --output-format stream-json`. Settings, hooks and MCP servers of the machine and the repository are off: they would start
 * programs outside the order.
 */
import type { AgentItem } from "./agent.ts";
import { type Usage, NO_USAGE } from "../run/usage.ts";
import type { JsonlCli, EventHandler } from "./jsonl.ts";
import { at, countAt, listAt, formatValue, textAt } from "../process/json-access.ts";

const READING = "Read,Glob,Grep";

export const claude: JsonlCli = {
  name: "claude",
  program: "claude",
  since: "2.0.0",
  install: "npm install --global @anthropic-ai/claude-code",
  provider: "anthropic",
  begin({ mode, model, prompt }, { address, pass }) {
    return {
      args: [
        ..."--print --verbose --output-format stream-json --no-session-persistence".split(" "),
        "--setting-sources",
        "",
        "--strict-mcp-config",
        ...(mode === "ro" ? ["--tools", READING] : ["--permission-mode", "bypassPermissions"]),
        ...(model === null ? [] : ["--model", model]),
      ],
      environment: {
        ...(address !== null && { ANTHROPIC_BASE_URL: address, ANTHROPIC_API_KEY: pass }),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        // Without it claude refuses to skip permission prompts for root, and there is no one to answer them.
        IS_SANDBOX: "1",
      },
      input: prompt,
    };
  },
  listen,
};

function listen(): EventHandler {
  let usage: Usage = NO_USAGE;
  let error: string | null = null;
  return {
    handle(event) {
      switch (textAt(event, "type")) {
        case "assistant":
          return listAt(event, "message", "content").flatMap(toItems);
        case "user":
          return listAt(event, "message", "content").flatMap(resultOf);
        case "result":
          usage = usageOf(event);
          if (at(event, "is_error") === true) error = textAt(event, "result") || textAt(event, "subtype");
          return [];
        default:
          return [];
      }
    },
    usage: () => usage,
    error: () => error,
  };
}

function toItems(block: unknown): readonly AgentItem[] {
  switch (textAt(block, "type")) {
    case "text":
      return [{ kind: "message", text: textAt(block, "text") }];
    case "thinking":
      return [{ kind: "log", text: `${textAt(block, "thinking")}\n` }];
    case "tool_use":
      return [callOf(textAt(block, "name"), at(block, "input"))];
    default:
      return [];
  }
}

function callOf(name: string, input: unknown): AgentItem {
  if (name === "TodoWrite") {
    const todos = listAt(input, "todos").map((todo) => `[${textAt(todo, "status")}] ${textAt(todo, "content")}`);
    return { kind: "plan", text: todos.join("\n") };
  }
  return { kind: "tool_call", text: `${name} ${formatValue(at(input, "command") ?? input)}` };
}

function resultOf(block: unknown): readonly AgentItem[] {
  if (textAt(block, "type") !== "tool_result") return [];
  const content = at(block, "content");
  const parts = listAt(content).map((part) => textAt(part, "text"));
  return [{ kind: "tool_result", text: parts.length > 0 ? parts.join("\n") : formatValue(content) }];
}

/** The reported tokens exclude cache reads and cache writes. */
function usageOf(event: unknown): Usage {
  const used = at(event, "usage");
  const cachedTokens = countAt(used, "cache_read_input_tokens");
  const fresh = countAt(used, "input_tokens") + countAt(used, "cache_creation_input_tokens");
  const dollars = at(event, "total_cost_usd");
  return {
    inputTokens: fresh + cachedTokens,
    cachedTokens,
    outputTokens: countAt(used, "output_tokens"),
    turns: countAt(event, "num_turns"),
    // A dollar counts as a euro, which errs on the safe side of the cap.
    costMicro: typeof dollars === "number" ? Math.max(0, Math.ceil(dollars * 1_000_000)) : null,
  };
}
