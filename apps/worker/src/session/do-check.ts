/** Runs a check of a repo: clone, setup and verify command, once, without an agent. */
import { CHECK_MESSAGE_MAX, type WorkerFrame } from "@triptych/contracts";
import { removeFolder } from "../process/folders.ts";
import { checkBaseline } from "../phases/checks.ts";
import { setUp } from "../phases/setup.ts";
import { endProcessesOf } from "../process/end-processes.ts";
import type { BusItem, Reporter } from "../run/reporter.ts";
import { RunError } from "../run/run-error.ts";
import { underLimits } from "../phases/run-limits.ts";
import { findRunBase, toRunTools, type RunScope, type WorkerTools } from "./do-run.ts";
import { checkOrderOf, type CheckCommand } from "./wire.ts";

type Checked = Extract<WorkerFrame, { readonly t: "checked" }>;
export type CheckOutcome = Omit<Checked, "t" | "check_id">;

/** Null if it was stopped. */
export async function doCheck(
  check: CheckCommand,
  /** Its signal aborts when the worker stops: the check then has no result. */
  folder: RunScope,
  worker: WorkerTools,
): Promise<CheckOutcome | null> {
  const commands = recordCommands();
  try {
    const end = await runCommands(check, { folder, worker, reporter: commands.reporter });
    if (end.kind === "cancelled") return null;
    if (end.kind === "done") return { ...commands.ends(), ...end.value, unavailable: false };
    // A failed setup command is a result; every other error means that the commands could not run.
    const hasFailed = end.code === "setup_failed" && commands.ends().setup !== null;
    return { ...commands.ends(), unavailable: !hasFailed, message: endOf(end.message) };
  } catch (error) {
    if (folder.signal.aborted) return null;
    const message = error instanceof RunError ? error.message : "internal worker error";
    if (!(error instanceof RunError)) worker.log(`check ${check.check_id}: internal worker error: ${String(error)}`);
    return { setup: null, verify: null, unavailable: true, message: endOf(message) };
  } finally {
    await endProcessesOf(folder.path);
    await removeFolder(folder.path);
  }
}

interface CheckContext {
  readonly folder: RunScope;
  readonly worker: WorkerTools;
  readonly reporter: Reporter;
}

async function runCommands(check: CheckCommand, { folder, worker, reporter }: CheckContext) {
  const base = await findRunBase(check, folder, worker);
  const { dependencies } = worker;
  // A check must prove that the setup command works; the first run uses the cached result.
  const fresh = dependencies && { ...dependencies, isRead: false };
  const tools = toRunTools({ ...worker, dependencies: fresh }, { folder, reporter });
  return underLimits(checkOrderOf(check, base), tools, async (context) => {
    await setUp(context);
    const { run } = (await checkBaseline(context)).baseline;
    const end = run?.verify ?? null;
    const verify = end === null ? null : { exit_code: end.exitCode, duration_ms: end.durationMs };
    return { verify, message: end === null || end.exitCode === 0 ? null : endOf(run?.output ?? "") };
  });
}

/** The end of an output shows the error. */
function endOf(text: string): string {
  return text.trim().slice(-CHECK_MESSAGE_MAX).toWellFormed();
}

/** Collects command results: a check has no bus. */
function recordCommands() {
  const items: BusItem[] = [];
  const last = (kind: BusItem["kind"]) =>
    items.findLast((item) => item.kind === kind && item.data !== undefined && "exit_code" in item.data);
  return {
    reporter: { say: (item) => void items.push(item), enter: () => {} } satisfies Reporter,
    ends: () => ({ setup: commandEnd(last("log")), verify: commandEnd(last("verify")) }),
  };
}

function commandEnd(item: BusItem | undefined): Checked["setup"] {
  if (item?.data === undefined) return null;
  const { exit_code, duration_ms } = item.data;
  return {
    exit_code: typeof exit_code === "number" ? exit_code : null,
    duration_ms: typeof duration_ms === "number" ? duration_ms : 0,
  };
}
