/**
 * Four APIs to one model: parses calls and writes responses of OpenAI responses, OpenAI chat completions, Anthropic messages and Gemini
 * generateContent. Only the parts that coding agents use.
 */

/** A call as the script sees it. */
export interface Call {
  readonly wire: string;
  /** Tool results in the call. */
  readonly results: number;
  /** The raw call. */
  readonly text: string;
  readonly tools: readonly Tool[];
}

export interface Tool {
  readonly name: string;
  /** Codex groups the tools of an MCP server. */
  readonly namespace?: string;
  /** A JSON schema. */
  readonly parameters: Json;
}

export type ModelReply =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "tool"; readonly name: string; readonly namespace?: string; readonly arguments: Json };

export type Json = Readonly<Record<string, unknown>>;

export interface Counts {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

export interface Completion {
  readonly id: string;
  readonly model: string;
  readonly answer: ModelReply;
  readonly counts: Counts;
}

export interface Wire {
  readonly name: string;
  readonly path: RegExp;
  read(body: Json): Pick<Call, "results" | "tools">;
  /** Events of a stream; `event` is absent if the API has no event names. */
  events(completion: Completion): readonly { readonly event?: string; readonly data: unknown }[];
  /** The whole response, for a call without streaming. */
  whole(completion: Completion): unknown;
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
const object = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
const functions = (tools: unknown): readonly Tool[] =>
  list(tools).flatMap((tool) => {
    if (tool["type"] === "namespace")
      return functions(tool["tools"]).map((member) => ({ ...member, namespace: String(tool["name"]) }));
    const { name, parameters } = object(tool["function"] ?? tool);
    return [{ name: String(name), parameters: object(parameters) }];
  });

export const wires: readonly Wire[] = [
  {
    name: "responses",
    path: /\/responses$/,
    read: ({ input, tools }) => ({
      results: list(input).filter(({ type }) => String(type).endsWith("call_output")).length,
      tools: functions(tools),
    }),
    events(completion) {
      const { output, ...response } = responseOf(completion);
      const [item] = output;
      return [
        { event: "response.created", data: { type: "response.created", response: { ...response, output: [] } } },
        {
          event: "response.output_item.added",
          data: { type: "response.output_item.added", output_index: 0, item },
        },
        { event: "response.output_item.done", data: { type: "response.output_item.done", output_index: 0, item } },
        { event: "response.completed", data: { type: "response.completed", response: { ...response, output } } },
      ];
    },
    whole: responseOf,
  },
  {
    name: "chat",
    path: /\/chat\/completions$/,
    read: ({ messages, tools }) => ({
      results: list(messages).filter(({ role }) => role === "tool").length,
      tools: functions(tools),
    }),
    events({ id, model, answer, counts }) {
      const head = { id, object: "chat.completion.chunk", created: 1_700_000_000, model };
      const delta = (part: Json, finish_reason: string | null) => ({
        data: { ...head, choices: [{ index: 0, delta: part, finish_reason }] },
      });
      const part =
        answer.kind === "text"
          ? { content: answer.text }
          : { tool_calls: [{ index: 0, id: `call_${id}`, type: "function", function: functionOf(answer) }] };
      return [
        delta({ role: "assistant", ...part }, null),
        delta({}, answer.kind === "text" ? "stop" : "tool_calls"),
        { data: { ...head, choices: [], usage: chatUsage(counts) } },
        { data: "[DONE]" },
      ];
    },
    whole: ({ id, model, answer, counts }) => ({
      id,
      object: "chat.completion",
      created: 1_700_000_000,
      model,
      choices: [
        {
          index: 0,
          finish_reason: answer.kind === "text" ? "stop" : "tool_calls",
          message:
            answer.kind === "text"
              ? { role: "assistant", content: answer.text }
              : {
                  role: "assistant",
                  content: null,
                  tool_calls: [{ id: `call_${id}`, type: "function", function: functionOf(answer) }],
                },
        },
      ],
      usage: chatUsage(counts),
    }),
  },
  {
    name: "messages",
    path: /\/messages$/,
    read: ({ messages, tools }) => ({
      results: list(messages)
        .flatMap(({ content }) => list(content))
        .filter(({ type }) => type === "tool_result").length,
      tools: list(tools).map(({ name, input_schema }) => ({ name: String(name), parameters: object(input_schema) })),
    }),
    events({ id, model, answer, counts }) {
      const named = (type: string, more: Json) => ({ event: type, data: { type, ...more } });
      const usage = messagesUsage(counts);
      const message = { id: `msg_${id}`, type: "message", role: "assistant", model, content: [], usage };
      const [content_block, delta] =
        answer.kind === "text"
          ? [
              { type: "text", text: "" },
              { type: "text_delta", text: answer.text },
            ]
          : [
              { type: "tool_use", id: `toolu_${id}`, name: answer.name, input: {} },
              { type: "input_json_delta", partial_json: JSON.stringify(answer.arguments) },
            ];
      const stop_reason = answer.kind === "text" ? "end_turn" : "tool_use";
      return [
        named("message_start", { message: { ...message, stop_reason: null, stop_sequence: null } }),
        named("content_block_start", { index: 0, content_block }),
        named("content_block_delta", { index: 0, delta }),
        named("content_block_stop", { index: 0 }),
        named("message_delta", { delta: { stop_reason, stop_sequence: null }, usage }),
        named("message_stop", {}),
      ];
    },
    whole: ({ id, model, answer, counts }) => ({
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model,
      content: [
        answer.kind === "text"
          ? { type: "text", text: answer.text }
          : { type: "tool_use", id: `toolu_${id}`, name: answer.name, input: answer.arguments },
      ],
      stop_reason: answer.kind === "text" ? "end_turn" : "tool_use",
      stop_sequence: null,
      usage: messagesUsage(counts),
    }),
  },
  {
    name: "gemini",
    path: /:(stream)?[gG]enerateContent$/,
    read: ({ contents, tools }) => ({
      results: list(contents)
        .flatMap(({ parts }) => list(parts))
        .filter((part) => "functionResponse" in part).length,
      tools: list(tools)
        .flatMap(({ functionDeclarations }) => list(functionDeclarations))
        .map(({ name, parameters, parametersJsonSchema }) => ({
          name: String(name),
          parameters: object(parametersJsonSchema ?? parameters),
        })),
    }),
    events: (completion) => [{ data: geminiOf(completion) }],
    whole: geminiOf,
  },
];

function responseOf({ id, model, answer, counts }: Completion) {
  const item =
    answer.kind === "text"
      ? {
          type: "message",
          id: `msg_${id}`,
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: answer.text, annotations: [] }],
        }
      : { type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, status: "completed", ...functionOf(answer) };
  const usage = {
    input_tokens: counts.input,
    input_tokens_details: { cached_tokens: counts.cached },
    output_tokens: counts.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: counts.input + counts.output,
  };
  return { id: `resp_${id}`, object: "response", status: "completed", model, output: [item], usage };
}

function geminiOf({ model, answer, counts, id }: Completion) {
  const part =
    answer.kind === "text"
      ? { text: answer.text }
      : { functionCall: { id: `call_${id}`, name: answer.name, args: answer.arguments } };
  return {
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: {
      promptTokenCount: counts.input,
      cachedContentTokenCount: counts.cached,
      candidatesTokenCount: counts.output,
      totalTokenCount: counts.input + counts.output,
    },
    modelVersion: model,
    responseId: id,
  };
}

function functionOf(answer: Extract<ModelReply, { readonly kind: "tool" }>) {
  const { name, namespace } = answer;
  return { name, ...(namespace !== undefined && { namespace }), arguments: JSON.stringify(answer.arguments) };
}

function chatUsage({ input, cached, output }: Counts) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

function messagesUsage({ input, cached, output }: Counts) {
  return {
    input_tokens: input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: output,
  };
}
