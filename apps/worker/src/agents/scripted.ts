/**
 * Runs a script in this process: for tests and a first run without an agent. The script is untrusted: it is validated first, and its edits
 * stay inside the tree.
 */
import { NO_USAGE, type Usage } from "../run/usage.ts";
import { mkdir, readFile, realpath, rm, writeFile, lstat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { Type, type Static, type TSchema } from "typebox";
import { Value } from "typebox/value";
import { type Agent, type AgentEnd, type AgentItem } from "./agent.ts";

const path = Type.String({ minLength: 1, maxLength: 4096, pattern: "^(?!/)(?!(?:.*/)?\\.\\.(?:/|$))[^\\u0000]+$" });
const text = Type.String({ maxLength: 1_048_576 });
const strict = { additionalProperties: false };

const message = Type.Object({ do: Type.Literal("message"), text }, strict);
const write = Type.Object({ do: Type.Literal("write"), path, text }, strict);
const replace = Type.Object(
  { do: Type.Literal("replace"), path, find: Type.String({ minLength: 1 }), with: text },
  strict,
);
const remove = Type.Object({ do: Type.Literal("delete"), path }, strict);
const delay = Type.Object({ do: Type.Literal("delay"), ms: Type.Integer({ minimum: 0, maximum: 3_600_000 }) }, strict);
const fail = Type.Object({ do: Type.Literal("fail"), message: text }, strict);
const STEPS = new Map<unknown, TSchema>(Object.entries({ message, write, replace, delete: remove, delay, fail }));

const Script = Type.Object(
  {
    // One list of steps per round; the last one repeats.
    rounds: Type.Array(Type.Array(Type.Union([message, write, replace, remove, delay, fail]), { maxItems: 1000 }), {
      minItems: 1,
      maxItems: 10,
    }),
  },
  strict,
);
const Outline = Type.Object(
  { rounds: Type.Array(Type.Array(Type.Object({ do: Type.Enum([...STEPS.keys()].map(String)) }))) },
  strict,
);

export type AgentScript = Static<typeof Script>;
type Step = AgentScript["rounds"][number][number];

export type Wait = (ms: number, signal: AbortSignal) => Promise<void>;

/** Throws with every error of the script. */
export function readScript(value: unknown): AgentScript {
  if (Value.Check(Script, value)) return value;
  const issues = Value.Check(Outline, value) ? issuesOfSteps(value.rounds) : issuesOf(Outline, value, "");
  const all = issues.length > 0 ? issues : issuesOf(Script, value, "");
  throw new Error(`the agent script is invalid: ${[...new Set(all)].join("; ")}`);
}

/** Validates each step against the kind that it names, for precise errors. */
function issuesOfSteps(rounds: readonly (readonly { readonly do: string }[])[]): string[] {
  return rounds.flatMap((steps, round) =>
    steps.flatMap((step, index) => issuesOf(STEPS.get(step.do) ?? Script, step, `/rounds/${round}/${index}`)),
  );
}

function issuesOf(schema: TSchema, value: unknown, at: string): string[] {
  return Value.Errors(schema, value).map(({ instancePath, message }) => `${at}${instancePath || "/"}: ${message}`);
}

export function createScriptedAgent(script: AgentScript, wait: Wait): Agent {
  return {
    start({ tree, round }) {
      const cancelled = new AbortController();
      // A planner runs before the first round.
      const steps = script.rounds[Math.min(Math.max(1, round), script.rounds.length) - 1];
      let end: AgentEnd = { kind: "running" };
      let usage: Usage = NO_USAGE;
      return {
        cancel: () => cancelled.abort(),
        usage: () => usage,
        end: () => end,
        async *[Symbol.asyncIterator]() {
          usage = { ...usage, turns: usage.turns + 1 };
          end = yield* follow(steps, tree, { wait, signal: cancelled.signal });
        },
      };
    },
  };
}

interface FollowOptions {
  readonly wait: Wait;
  readonly signal: AbortSignal;
}

async function* follow(steps: readonly Step[], tree: string, pace: FollowOptions): AsyncGenerator<AgentItem, AgentEnd> {
  for (const step of steps) {
    if (step.do === "message") yield { kind: "message", text: step.text };
    else if (step.do === "delay") await pace.wait(step.ms, pace.signal);
    else if (step.do === "fail") return { kind: "failed", message: step.message };
    else {
      yield { kind: "tool_call", text: `${step.do} ${step.path}` };
      await edit(step, await resolveInside(tree, step.path));
    }
    if (pace.signal.aborted) return { kind: "cancelled" };
  }
  return { kind: "done", exitCode: 0, error: null };
}

type Edit = Extract<Step, { readonly path: string }>;

async function edit(step: Edit, file: string): Promise<void> {
  switch (step.do) {
    case "write":
      await mkdir(dirname(file), { recursive: true });
      return writeFile(file, step.text);
    case "replace":
      return writeFile(
        file,
        (await readFile(file, "utf8")).replaceAll(step.find, () => step.with),
      );
    case "delete":
      return rm(file, { recursive: true, force: true });
  }
}

/** The repository may contain links, so the nearest existing folder must be in the tree, and the file must not be a link. */
async function resolveInside(tree: string, path: string): Promise<string> {
  const root = await realpath(tree);
  const file = join(root, path);
  let folder = dirname(file);
  while (!(await exists(folder))) folder = dirname(folder);
  const real = await realpath(folder);
  const isLink = (await exists(file)) && (await lstat(file)).isSymbolicLink();
  if (isLink || (real !== root && !real.startsWith(root + sep)))
    throw new Error(`${JSON.stringify(path)} points outside the tree`);
  return file;
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}
