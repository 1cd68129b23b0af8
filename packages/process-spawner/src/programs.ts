/** Kills the whole process group (git may have spawned ssh). ESRCH is fine. */
export function killGroup({ pid }: { readonly pid?: number | undefined }): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/**
 * Wraps a command so that it cannot write larger files. A fixed shell script sets the limit; the command is passed as
 * its arguments.
 */
export function limitFileSize(argv: readonly string[], bytes: number): readonly string[] {
  const blocks = Math.max(1, Math.ceil(bytes / 512));
  return ["/bin/sh", "-c", 'ulimit -f "$1" && shift && exec "$@"', "sh", String(blocks), ...argv];
}
