/**
 * Ends whatever still runs for a folder: everything that a run starts has its home there, and hands that on to what it starts itself,
 * in another group or session too, and after the death of this worker. Looks where the kernel shows environments (`/proc`), and finds
 * nothing elsewhere.
 */
import { readdir, readFile } from "node:fs/promises";

export async function endProcessesOf(folder: string): Promise<void> {
  const mark = `HOME=${folder}/`;
  // Again until nothing is found: what was starting a child when it was killed may have left that child.
  for (let attempt = 0; attempt < LOOKS; attempt++) {
    const found = await processesWith(mark);
    if (found.length === 0) return;
    for (const id of found) kill(id);
  }
}

const LOOKS = 10;

async function processesWith(mark: string): Promise<readonly number[]> {
  const ids = (await readdir("/proc").catch(() => [])).map(Number).filter((id) => id > 0 && id !== process.pid);
  const marked = await Promise.all(ids.map(async (id) => ({ id, isMarked: await hasMark(id, mark) })));
  return marked.filter(({ isMarked }) => isMarked).map(({ id }) => id);
}

/** A process that is gone, or another user's, is none of ours. */
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
