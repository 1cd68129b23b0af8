/**
 * `codex exec --json`. Settings are arguments, which override files of the machine or the repository. In a sandbox codex's own sandbox is
 * off: they cannot be nested.
 */
import type { AgentItem } from "./agent.ts";
import type { JsonlCli, EventHandler } from "./jsonl.ts";
import { at, countAt, listAt, readObject, formatValue, textAt } from "../process/json-access.ts";

export const codex: JsonlCli = {
  name: "codex",
  program: "codex",
  since: "0.100.0",
  install: "npm install --global @openai/codex",
  provider: "openai",
  models: {
    args: ["debug", "models"],
    read: (printed) =>
      listAt(readObject(printed), "models")
        .filter((model) => textAt(model, "visibility") !== "hide")
        .map((model) => textAt(model, "slug"))
        .filter(Boolean),
  },
  begin({ mode, model, prompt, isShutIn }, { address, pass }) {
    const settings = { ...QUIET, ...(address !== null && modelProxySettings(address)) };
    return {
      args: [
        ..."exec --json --color never --skip-git-repo-check --ephemeral".split(" "),
        ..."--ignore-user-config --ignore-rules".split(" "),
        "--sandbox",
        mode === "ro" && !isShutIn ? "read-only" : "danger-full-access",
        ...Object.entries(settings).flatMap(([name, value]) => ["--config", `${name}=${JSON.stringify(value)}`]),
        ...(model === null ? [] : ["--model", model]),
        "-",
      ],
      environment: { TRIPTYCH_PASS: pass },
      input: prompt,
    };
  },
  listen,
};

/** Turns off all calls except those to the model. Without a network, codex would wait for them when it ends. */
const QUIET = {
  check_for_update_on_startup: false,
  "analytics.enabled": false,
  "feedback.enabled": false,
  "otel.metrics_exporter": "none",
};

function modelProxySettings(address: string) {
  return {
    model_provider: "proxy",
    "model_providers.proxy.name": "proxy",
    "model_providers.proxy.base_url": address,
    "model_providers.proxy.wire_api": "responses",
    "model_providers.proxy.env_key": "TRIPTYCH_PASS",
    "model_providers.proxy.supports_websockets": false,
  };
}

function listen(): EventHandler {
  let usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
  let turns = 0;
  let error: string | null = null;
  return {
    handle(event) {
      switch (textAt(event, "type")) {
        case "item.started":
          return startedOf(at(event, "item"));
        case "item.completed":
          return completedOf(at(event, "item"));
        case "turn.completed": {
          // Each model response is one turn; codex reports usage only for all of them together.
          const used = at(event, "usage");
          usage = {
            inputTokens: usage.inputTokens + countAt(used, "input_tokens"),
            cachedTokens: usage.cachedTokens + countAt(used, "cached_input_tokens"),
            outputTokens: usage.outputTokens + countAt(used, "output_tokens"),
          };
          turns++;
          return [];
        }
        case "turn.failed":
          error = textAt(event, "error", "message") || "the turn failed";
          return [{ kind: "log", text: `${error}\n` }];
        case "error":
          return [{ kind: "log", text: `${textAt(event, "message")}\n` }];
        default:
          return [];
      }
    },
    usage: () => ({ ...usage, turns, costMicro: null }),
    error: () => error,
  };

  function startedOf(item: unknown): readonly AgentItem[] {
    if (!TOOLS.has(textAt(item, "type"))) return [];
    turns++;
    return [{ kind: "tool_call", text: calledOf(item) }];
  }
}

const TOOLS: ReadonlySet<string> = new Set(["command_execution", "mcp_tool_call", "web_search", "file_change"]);

function calledOf(item: unknown): string {
  switch (textAt(item, "type")) {
    case "command_execution":
      return textAt(item, "command");
    case "mcp_tool_call":
      return `${textAt(item, "server")} ${textAt(item, "tool")} ${formatValue(at(item, "arguments"))}`;
    case "web_search":
      return `web search: ${textAt(item, "query")}`;
    default:
      return listAt(item, "changes")
        .map((change) => `${textAt(change, "kind")} ${textAt(change, "path")}`)
        .join("\n");
  }
}

function completedOf(item: unknown): readonly AgentItem[] {
  switch (textAt(item, "type")) {
    case "agent_message":
      return [{ kind: "message", text: textAt(item, "text") }];
    case "reasoning":
      return [{ kind: "log", text: `${textAt(item, "text")}\n` }];
    case "error":
      return [{ kind: "log", text: `${textAt(item, "message")}\n` }];
    case "todo_list":
      return [{ kind: "plan", text: listAt(item, "items").map(todoOf).join("\n") }];
    case "command_execution":
      return [
        {
          kind: "tool_result",
          text: `${textAt(item, "aggregated_output")}[exit ${formatValue(at(item, "exit_code"))}]`,
        },
      ];
    case "file_change":
      return [{ kind: "tool_result", text: `${calledOf(item)}\n[${textAt(item, "status")}]` }];
    case "mcp_tool_call":
      return [{ kind: "tool_result", text: formatValue(at(item, "result") ?? at(item, "error")) }];
    default:
      return [];
  }
}

function todoOf(todo: unknown): string {
  return `[${at(todo, "completed") === true ? "x" : " "}] ${textAt(todo, "text")}`;
}
