/** Runs a check of a repo: clone, setup and verify command, once, without an agent. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { CHECK_MESSAGE_MAX, type WorkerFrame } from "@triptych/contracts";
import { removeFolder } from "../process/folders.ts";
import { findBase } from "../git/base.ts";
import { checkBaseline } from "../phases/checks.ts";
import { setUp } from "../phases/setup.ts";
import { environmentOf } from "../process/environment.ts";
import { endProcessesOf } from "../process/end-processes.ts";
import type { BusItem, Reporter } from "../run/reporter.ts";
import { RunError } from "../run/run-error.ts";
import { prepare, underLimits, type CommonRunTools } from "../phases/run-phases.ts";
import type { WorkerTools } from "./do-run.ts";
import { checkOrderOf, type CheckCommand } from "./wire.ts";

type Checked = Extract<WorkerFrame, { readonly t: "checked" }>;
export type CheckOutcome = Omit<Checked, "t" | "check_id">;

interface CheckFolder {
  readonly path: string;
  /** Aborted when the worker stops: the check then has no result. */
  readonly signal: AbortSignal;
}

/** Null where it was stopped. */
export async function doCheck(
  check: CheckCommand,
  folder: CheckFolder,
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

interface Checking {
  readonly folder: CheckFolder;
  readonly worker: WorkerTools;
  readonly reporter: Reporter;
}

async function runCommands(check: CheckCommand, { folder, worker, reporter }: Checking) {
  const home = join(folder.path, "home");
  await mkdir(home, { recursive: true, mode: 0o700 });
  const environment = environmentOf(worker.hostEnvironment, { home, temporary: home });
  const { signal } = folder;
  const base = await findBase({ ...check.clone, bearer: check.token, environment, signal, clock: worker.clock });
  const tools: CommonRunTools = {
    folder: join(folder.path, "work"),
    mirrors: worker.mirrors,
    baselines: worker.baselines,
    createSandbox: worker.createSandbox,
    reporter,
    hostEnvironment: worker.hostEnvironment,
    secrets: worker.secrets(),
    signal,
    now: () => worker.now().getTime(),
    elapsed: worker.clock.now,
  };
  return underLimits(checkOrderOf(check, base), tools, async (prepared, redacted) => {
    const context = await prepare(prepared, { ...tools, reporter: redacted });
    await using _ = context.sandbox;
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
  const last = (kind: BusItem["kind"]) => items.findLast((item) => item.kind === kind && item.data !== undefined);
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
