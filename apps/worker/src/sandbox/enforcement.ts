import type { IsolationLevel } from "@triptych/contracts";
import type { Isolation } from "./isolation.ts";

type EnforcedLevel = Pick<Isolation, "level" | "lacks" | "samplingReason">;

/** Without a sandbox the network of every command is open. */
export function enforcesNetwork(level: IsolationLevel): boolean {
  return level === "sandbox" || level === "container";
}

/** Refuses because commands of a repository would run with all permissions on this machine. */
export function refuseRootWithoutSandbox(
  { level, lacks }: EnforcedLevel,
  { mayBeRoot, user = process.getuid?.() }: { readonly mayBeRoot: boolean; readonly user?: number | undefined },
): void {
  if (user !== 0 || enforcesNetwork(level) || mayBeRoot) return;
  const reason = lacks ?? `--isolation is ${level}.`;
  throw new Error(
    `This worker would run commands of repositories as root without a sandbox: ${reason} Run it as an unprivileged user, or pass --allow-root (WORKER_ALLOW_ROOT=1).`,
  );
}

export function enforcementOf(
  { level, lacks, samplingReason }: EnforcedLevel,
  user: number | undefined,
): readonly string[] {
  const isSandbox = enforcesNetwork(level);
  const network = isSandbox ? "enforced" : "not enforced";
  const kernel = samplingReason === null ? "limited by the kernel" : `limited by sampling (${samplingReason})`;
  const resources = isSandbox ? kernel : "limited by sampling";
  const who = user === undefined ? "unknown" : user === 0 ? "root" : `uid ${user}`;
  const summary = `isolation ${level}; network policy ${network}; memory and processes ${resources}; user ${who}`;
  if (isSandbox) return [summary];
  const effect = user === 0 ? "run with all permissions on this machine" : "run with all permissions of this user";
  const because = lacks === null ? "" : ` No sandbox: ${lacks}`;
  return [summary, `warning: repository commands ${effect}; runs that require a sandbox stay queued.${because}`];
}
