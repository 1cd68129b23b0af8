/** A small ACP agent with the behavior that a test names: requests permission, never ends, ignores cancel, breaks off. */
import { createInterface } from "node:readline";

const [habit, json = "{}"] = process.argv.slice(2);
const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (body: object) => say({ method: "session/update", params: { sessionId: "s1", update: body } });
const tell = (text: string) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const end = (stopReason: string) => say({ id: prompted, result: { stopReason } });
let prompted = 0;

const MODES = { currentModeId: "default", availableModes: [{ id: "default" }, { id: "plan" }] };
const PERMISSION_REQUEST = { sessionId: "s1", toolCall: JSON.parse(json), options: [] as object[] };
for (const kind of ["allow_always", "allow_once", "reject_once"])
  PERMISSION_REQUEST.options.push({ optionId: kind, name: kind, kind });

const input = createInterface({ input: process.stdin });
// An agent that ignores cancel also ignores the end of its input.
if (habit !== "deaf") input.on("close", () => process.exit());
input.on("line", (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === "initialize") say({ id, result: { protocolVersion: habit === "newer" ? 2 : 1 } });
  else if (method === "session/new") say({ id, result: { sessionId: "s1", modes: MODES } });
  else if (method === "session/set_mode") {
    tell(`in mode ${params.modeId}. `);
    say({ id, result: {} });
  } else if (method === "session/prompt") {
    prompted = id;
    work();
  } else if (method === "session/cancel" && habit !== "deaf") {
    end("cancelled");
  } else if (result !== undefined) {
    tell(`chose ${result.outcome.optionId ?? result.outcome.outcome}`);
    end("end_turn");
  }
});

function work(): void {
  tell("begun");
  switch (habit) {
    case "ask":
      return void say({ id: 7, method: "session/request_permission", params: PERMISSION_REQUEST });
    case "broken":
      process.stdout.write('this is no JSON\n{"jsonrpc":"2.0","method":"session/upd');
      return process.exit(3);
    case "refused":
      return void say({ id: prompted, error: { code: -32000, message: "Authentication required" } });
    default:
      update({ sessionUpdate: "plan", entries: [{ status: "pending", content: "wait" }] });
      setInterval(() => {}, 1_000_000);
  }
}
