/**
 * Kills every process whose home is in a folder: children inherit it, across groups and sessions and after the worker's death. Reads
 * `/proc`; finds nothing on other systems.
 */
import { readdir, readFile } from "node:fs/promises";

export async function endProcessesOf(folder: string): Promise<void> {
  const mark = `HOME=${folder}/`;
  // Repeats until none is found: a killed process may have just started a child.
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const found = await findMarkedProcesses(mark);
    if (found.length === 0) return;
    for (const id of found) kill(id);
  }
}

const ATTEMPTS_MAX = 10;

async function findMarkedProcesses(mark: string): Promise<readonly number[]> {
  const ids = (await readdir("/proc").catch(() => [])).map(Number).filter((id) => id > 0 && id !== process.pid);
  const marked = await Promise.all(ids.map(async (id) => ({ id, isMarked: await hasMark(id, mark) })));
  return marked.filter(({ isMarked }) => isMarked).map(({ id }) => id);
}

/** The process has ended, or belongs to another user. */
async function hasMark(id: number, mark: string): Promise<boolean> {
  const environment = await readFile(`/proc/${id}/environ`, "latin1").catch(() => "");
  return environment.split("\0").some((entry) => entry.startsWith(mark));
}

function kill(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
