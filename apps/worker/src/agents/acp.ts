/**
 * Agent Client Protocol, version 1: JSON-RPC over the pipes of one process per task. The client offers neither files nor terminals; an
 * agent uses its own tools inside its sandbox.
 */
import type { ProcessEnd } from "../process/run-process.ts";
import { answerPermission } from "./acp-permission.ts";
import { createAcpUpdates } from "./acp-updates.ts";
import type { AgentEnd, AgentSession, AgentTask } from "./agent.ts";
import { toProcessSpec, type Cli } from "./cli.ts";
import { createOutputCollector } from "./output-collector.ts";
import { createItems } from "./items.ts";
import { endOf } from "./jsonl.ts";
import { at, listAt, textAt } from "../process/json-access.ts";
import { createRpc, RpcError, type Rpc } from "./rpc.ts";

export interface AcpCli extends Cli {
  /** The authentication method to call; null if none is needed. */
  readonly auth: string | null;
  /** The agent's mode IDs for "ask before writing" and "read only"; null if it has no such mode. */
  readonly modes: { readonly rw: string | null; readonly ro: string | null };
}

const PROTOCOL = 1;
/** Grace period in milliseconds after cancel or end of input, before the process is killed. */
const LEAVE_MS = 1_000;

export function startAcp(cli: AcpCli, program: string, task: AgentTask): AgentSession {
  const killed = new AbortController();
  const updates = createAcpUpdates();
  let end: AgentEnd = { kind: "running" };
  let isCancelled = false;
  let leave: NodeJS.Timeout | undefined;
  let stop = () => killed.abort();

  return {
    cancel() {
      isCancelled = true;
      stop();
      leave ??= setTimeout(() => killed.abort(), LEAVE_MS);
    },
    usage: () => updates.usage(),
    end: () => end,
    async *[Symbol.asyncIterator]() {
      const { items, say, stderrTail, launch } = createOutputCollector(cli.name);
      const input = createItems<string>();
      const rpc = createRpc({
        send: input.push,
        onCall(method, params) {
          if (method !== "session/request_permission") return undefined;
          for (const item of updates.handle({ sessionUpdate: "tool_call_update", ...toToolUpdate(params) })) say(item);
          return answerPermission(params, task);
        },
        onNotification(method, params) {
          if (method === "session/update") for (const item of updates.handle(at(params, "update"))) say(item);
        },
        onAside: (line) => say({ kind: "log", text: `${line}\n` }),
      });
      const spec = { ...(await toProcessSpec(cli, program, task)), signal: killed.signal, input };
      const running = launch(task.launch, spec, rpc.receive).finally(() => {
        rpc.close();
        input.close();
      });
      const talked = runSession(rpc, cli, task, {
        onSession: (cancel) => (stop = cancel),
        isCancelled: () => isCancelled,
        onAnswer: updates.answered,
      })
        .catch(errorMessageOf)
        .then((error) => {
          for (const item of updates.flush()) say(item);
          // An agent whose input is closed should exit; otherwise it is killed.
          input.close();
          leave ??= setTimeout(() => killed.abort(), LEAVE_MS);
          return error;
        });
      void Promise.allSettled([running, talked]).then(items.close);
      yield* items;
      clearTimeout(leave);
      const [ended, error] = await Promise.all([running, talked]);
      const how = isCancelled ? ended : toCleanEnd(ended);
      end = isCancelled ? { kind: "cancelled" } : endOf(how, { name: cli.name, error, stderrTail: stderrTail() });
    },
  };
}

function toToolUpdate(params: unknown): object {
  const call = at(params, "toolCall");
  return { ...(typeof call === "object" ? call : {}), status: "in_progress" };
}

/** The worker ended the agent after its work, so the exit code means nothing. */
function toCleanEnd(end: ProcessEnd): ProcessEnd {
  return end.kind === "cancelled" ? { kind: "exited", code: 0 } : end;
}

interface Conversation {
  readonly onSession: (cancel: () => void) => void;
  readonly isCancelled: () => boolean;
  readonly onAnswer: (result: unknown) => void;
}

/** Returns why the agent gave up; null if it finished. */
async function runSession(
  rpc: Rpc,
  { auth, modes, name }: AcpCli,
  task: AgentTask,
  { onSession, isCancelled, onAnswer }: Conversation,
): Promise<string | null> {
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  const clientInfo = { name: "triptych", version: "1" };
  const greeted = await rpc.call("initialize", { protocolVersion: PROTOCOL, clientCapabilities, clientInfo });
  if (at(greeted, "protocolVersion") !== PROTOCOL) return `${name} uses an unsupported protocol version`;
  if (auth !== null) await rpc.call("authenticate", { methodId: auth });
  const session = await rpc.call("session/new", { cwd: task.tree, mcpServers: [] });
  const sessionId = textAt(session, "sessionId");
  onSession(() => rpc.notify("session/cancel", { sessionId }));
  if (isCancelled()) return null;
  await choose(rpc, session, { modeId: modes[task.mode], modelId: task.model });
  const prompt = [{ type: "text", text: task.prompt }];
  const result = await rpc.call("session/prompt", { sessionId, prompt });
  onAnswer(result);
  const stopped = textAt(result, "stopReason");
  return stopped === "refusal" ? "the model refused to continue" : null;
}

interface Choice {
  readonly modeId: string | null;
  readonly modelId: string | null;
}

/** Does not select a model that the agent does not list, because arguments may have set it. */
async function choose(rpc: Rpc, session: unknown, { modeId, modelId }: Choice): Promise<void> {
  const sessionId = textAt(session, "sessionId");
  const hasMode = listAt(session, "modes", "availableModes").some((mode) => textAt(mode, "id") === modeId);
  if (hasMode && textAt(session, "modes", "currentModeId") !== modeId)
    await rpc.call("session/set_mode", { sessionId, modeId });
  const hasModel = listAt(session, "models", "availableModels").some((model) => textAt(model, "modelId") === modelId);
  if (hasModel && textAt(session, "models", "currentModelId") !== modelId)
    await rpc.call("session/set_model", { sessionId, modelId });
}

function errorMessageOf(error: unknown): string {
  if (error instanceof RpcError) return error.message;
  throw error;
}
