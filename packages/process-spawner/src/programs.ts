/** Kills the whole process group (git may have spawned ssh). ESRCH is fine. */
export function killGroup({ pid }: { readonly pid?: number | undefined }): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** An argv whose program cannot write larger files. A shell of fixed text sets the limit; the argv is its arguments. */
export function limitFileSize(argv: readonly string[], bytes: number): readonly string[] {
  const blocks = Math.max(1, Math.ceil(bytes / 512));
  return ["/bin/sh", "-c", 'ulimit -f "$1" && shift && exec "$@"', "sh", String(blocks), ...argv];
}
