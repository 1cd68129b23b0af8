/** `pi -p --mode json`. Its models are in a file, because it takes no model address as an argument. */
import type { AgentItem } from "./agent.ts";
import { USUAL_OPENAI_MODEL } from "./cli.ts";
import type { JsonlCli, EventHandler } from "./jsonl.ts";
import { at, countAt, listAt, formatValue, textAt } from "../process/json-access.ts";

export const pi: JsonlCli = {
  name: "pi",
  program: "pi",
  since: "0.70.0",
  install: "npm install --global @mariozechner/pi-coding-agent",
  provider: "openai",
  begin({ mode, model, prompt }, { address, pass }) {
    const name = model ?? USUAL_OPENAI_MODEL;
    return {
      args: [
        ..."--print --mode json --no-session --no-extensions --no-skills --no-prompt-templates".split(" "),
        ...(mode === "ro" ? ["--tools", "read,grep,find,ls"] : []),
        ...(address === null ? [] : ["--provider", "proxy"]),
        "--model",
        name,
      ],
      environment: { PI_OFFLINE: "1", TRIPTYCH_PASS: pass },
      files: {
        ".pi/agent/models.json": JSON.stringify({ providers: address === null ? {} : modelProxyConfig(address, name) }),
      },
      input: prompt,
    };
  },
  listen,
};

function modelProxyConfig(baseUrl: string, id: string) {
  const models = [{ id, name: id, contextWindow: 200_000, maxTokens: 32_000, ...PLAIN_MODEL }];
  return { proxy: { baseUrl, api: "openai-responses", apiKey: "TRIPTYCH_PASS", models } };
}

/** Required by pi's file. Without prices pi's costs are meaningless; the model proxy counts instead. */
const PLAIN_MODEL = {
  reasoning: false,
  input: ["text"],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

function listen(): EventHandler {
  let usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, turns: 0 };
  let error: string | null = null;
  return {
    handle(event) {
      switch (textAt(event, "type")) {
        case "message_end":
          return textAt(event, "message", "role") === "assistant" ? answered(at(event, "message")) : [];
        case "tool_execution_start":
          return [{ kind: "tool_call", text: callOf(event) }];
        case "tool_execution_end":
          return [{ kind: "tool_result", text: contentOf(at(event, "result")) }];
        default:
          return [];
      }
    },
    usage: () => ({ ...usage, costMicro: null }),
    error: () => error,
  };

  function answered(message: unknown): readonly AgentItem[] {
    const used = at(message, "usage");
    const cached = countAt(used, "cacheRead");
    usage = {
      inputTokens: usage.inputTokens + countAt(used, "input") + cached + countAt(used, "cacheWrite"),
      cachedTokens: usage.cachedTokens + cached,
      outputTokens: usage.outputTokens + countAt(used, "output"),
      turns: usage.turns + 1,
    };
    // A later successful response to the same task clears the error.
    error = textAt(message, "stopReason") === "error" ? textAt(message, "errorMessage") || "its model failed" : null;
    const text = contentOf(message);
    return text === "" ? [] : [{ kind: "message", text }];
  }
}

function callOf(event: unknown): string {
  const args = at(event, "args");
  return `${textAt(event, "toolName")} ${formatValue(at(args, "command") ?? args)}`;
}

function contentOf(holder: unknown): string {
  const texts = listAt(holder, "content").filter((part) => textAt(part, "type") === "text");
  return texts.map((part) => textAt(part, "text")).join("\n");
}
