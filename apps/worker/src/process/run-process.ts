/**
 * Runs one child process with timeouts and an output limit in its own process group, and kills the rest of the group at its end. Processes
 * that leave the group by `setsid` are left to the sandbox's PID namespace.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { Readable, type Writable } from "node:stream";
import { limitFileSize } from "@triptych/process-spawner";

export interface ProcessSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: ProcessLimits;
  readonly signal: AbortSignal;
  /** A string, or chunks while the process runs; then the pipe is closed. */
  readonly input?: string | Buffer | AsyncIterable<string>;
  readonly onStarted?: (id: number) => void;
  readonly onStdout?: (chunk: Buffer) => void;
  readonly onStderr?: (chunk: Buffer) => void;
}

export interface ProcessLimits {
  readonly timeoutMs: number;
  /** Maximum time without output; default: the timeout. */
  readonly silenceMs?: number;
  /** Maximum bytes of stdout and stderr together; exceeding it ends the process. */
  readonly outputBytes: number;
  /** Maximum size of a written file, enforced by the kernel. */
  readonly fileBytes?: number;
}

export type ProcessEnd =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "timeout" | "silence" | "output_limit" | "cancelled" }
  | { readonly kind: "not_started"; readonly reason: string };

/** Time from SIGTERM to SIGKILL: enough to print a last line, and less than the panel's 10 s. */
const GRACE_MS = 2_000;
/** A grandchild outside the group may leave the pipes open forever; its output is not awaited. */
const DRAIN_TIMEOUT_MS = 500;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export function runProcess(spec: ProcessSpec): Promise<ProcessEnd> {
  if (spec.signal.aborted) return Promise.resolve({ kind: "cancelled" });
  const { argv, limits } = spec;
  const [program, ...args] = limits.fileBytes === undefined ? argv : limitFileSize(argv, limits.fileBytes);
  const child = spawn(program, args, {
    cwd: spec.cwd,
    env: spec.environment,
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  if (child.pid !== undefined) spec.onStarted?.(child.pid);
  return watch(child, spec);
}

function watch(child: Child, { limits, signal, input, onStdout, onStderr }: ProcessSpec): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    let broken: ProcessEnd | undefined;
    let bytes = 0;
    let insist: NodeJS.Timeout | undefined;
    let drainTimeout: NodeJS.Timeout | undefined;
    let end: ProcessEnd = { kind: "not_started", reason: "unknown" };
    const wallClock = setTimeout(() => stop({ kind: "timeout" }), limits.timeoutMs);
    const silence =
      limits.silenceMs === undefined ? undefined : setTimeout(() => stop({ kind: "silence" }), limits.silenceMs);
    const cancel = () => stop({ kind: "cancelled" });
    signal.addEventListener("abort", cancel, { once: true });

    child.stdout.on("data", (chunk: Buffer) => receive(chunk, onStdout));
    child.stderr.on("data", (chunk: Buffer) => receive(chunk, onStderr));
    // A process may close its input early.
    child.stdin.on("error", () => {});
    if (isPieces(input)) Readable.from(input).pipe(child.stdin);
    else child.stdin.end(input);
    child.once("error", (error) => finish({ kind: "not_started", reason: error.message }));
    child.once("exit", (code, by) => {
      end = broken ?? (code === null ? { kind: "killed", signal: by ?? "unknown" } : { kind: "exited", code });
      killGroup(child, "SIGKILL");
      drainTimeout = setTimeout(() => finish(end), DRAIN_TIMEOUT_MS);
    });
    child.once("close", () => finish(end));

    function receive(chunk: Buffer, forward: ((chunk: Buffer) => void) | undefined): void {
      if (broken !== undefined) return;
      silence?.refresh();
      bytes += chunk.length;
      if (bytes > limits.outputBytes) return stop({ kind: "output_limit" });
      forward?.(chunk);
    }

    function stop(why: ProcessEnd): void {
      if (broken !== undefined) return;
      broken = why;
      killGroup(child, "SIGTERM");
      insist = setTimeout(() => killGroup(child, "SIGKILL"), GRACE_MS);
    }

    function finish(how: ProcessEnd): void {
      for (const timer of [wallClock, silence, insist, drainTimeout]) clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(how);
    }
  });
}

function isPieces(input: ProcessSpec["input"]): input is AsyncIterable<string> {
  return typeof input === "object" && !Buffer.isBuffer(input);
}

function killGroup({ pid }: Child, signal: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
