/** `triptych run …`: start runs, follow them, read their diffs, verify their statements. */
import { Command } from "commander";
import { numberIn, onCall, type Call, type Context } from "./context.ts";
import { repoId } from "./repos.ts";
import { addVerify } from "./verify-run.ts";
import { watchRun } from "./watch.ts";

interface StartOptions {
  readonly focus?: string;
  readonly verifyCmd?: string;
  readonly baseBranch?: string;
  readonly priority?: string;
  readonly parallel?: boolean;
  readonly watch?: boolean;
}

export function runCommands(context: Context): Command {
  const run = new Command("run").description("maintenance runs on your repositories").exitOverride();
  addStart(run, context);
  const list = run
    .command("list")
    .description("list the newest runs")
    .option("--limit <number>", "maximum number of runs to list", "20");
  onCall<{ readonly limit: string }>(list, context, "panel", async ({ triptych, print, table }, { limit }) => {
    const { items } = await triptych.panel.runs.list({ limit: numberIn(limit) });
    const rows = items.map(({ id, repo_name, state, focus }) => [id, repo_name, state, focus]);
    print(items, () =>
      rows.length === 0 ? "No runs." : table(["id", "repository", "state", "focus"], rows, ["repository", "focus"]),
    );
  });
  const watch = run.command("watch").description("follow a run until its end; exit 1 if it failed");
  onCall(watch.argument("<run>", "run_…"), context, "panel", (call, _options, command) =>
    watchRun(call, { id: call.args[0] ?? "", context, isJson: command.opts()["json"] === true }),
  );
  const diff = run.command("diff").description("print the diff of a run");
  onCall(diff.argument("<run>", "run_…"), context, "panel", async ({ triptych, args: [id = ""], print }) => {
    const text = (await triptych.panel.runDiff.get({ id })) ?? "";
    print({ run_id: id, diff: text }, () => text.replace(/\n$/, ""));
  });
  addVerify(run, context);
  return run;
}

function addStart(run: Command, context: Context): void {
  const start = run
    .command("start")
    .description("start a run")
    .argument("<repo>", "ID or name of the repository")
    .option("--focus <text>", "what to do; default: the focus of the repository")
    .option("--verify-cmd <command>", "command that must succeed after the change")
    .option("--base-branch <name>", "branch to start from")
    .option("--priority <number>", "higher runs first")
    .option("--parallel", "start even if a run with the same focus is active")
    .option("--watch", "follow the run until its end");
  onCall<StartOptions>(start, context, "panel", async (call, options, command) => {
    const id = await repoId(call.triptych, call.args[0] ?? "");
    const { focus, verifyCmd, baseBranch, priority, parallel } = options;
    const started = await call.triptych.panel.runs.create({
      id,
      ...(focus !== undefined && { focus }),
      ...(verifyCmd !== undefined && { verify_cmd: verifyCmd }),
      ...(baseBranch !== undefined && { base_branch: baseBranch }),
      ...(priority !== undefined && { priority: numberIn(priority) }),
      ...(parallel !== undefined && { parallel }),
    });
    await finish(call, started, { context, watches: options.watch === true, isJson: command.opts()["json"] === true });
  });
}

interface Finish {
  readonly context: Context;
  readonly watches: boolean;
  readonly isJson: boolean;
}

type Started = Awaited<ReturnType<Call["triptych"]["panel"]["runs"]["get"]>>;

/** Prints a new run, or follows it. */
export async function finish(call: Call, run: Started, { context, watches, isJson }: Finish): Promise<void> {
  if (!watches || !isJson)
    call.print(run, () => `${run.id} ${run.state}${run.queue_hint === null ? "" : `\n${run.queue_hint}`}`);
  if (watches) await watchRun(call, { id: run.id, context, isJson });
}
