/** The `import` command as a user runs it, into an empty folder: from a file to a published version. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { writeImportFile, writeMapping } from "../../services/directory/bench/http-import-file.ts";
import { perSecond, progress, type Figures } from "./report.ts";
import { runNode, type Ended } from "./run.ts";

const BAR = 5000;
/** Limits for the import of a million rows. */
const PEAK_BYTES = 1e9;

export interface Imported {
  /** TRIPTYCH_DATA of the import. */
  readonly dataFolder: string;
  readonly figures: Figures;
}

export async function measureImport(folder: string, items: number): Promise<Imported> {
  await mkdir(folder, { recursive: true });
  const dataFolder = join(folder, "data");
  await writeMapping(join(folder, "mapping.json"));
  progress(`import: ${items} items`);
  const { wallSeconds, cpuSeconds, peakBytes } = await importVersion({ folder, dataFolder, items, version: "first" });
  const rate = items / cpuSeconds;
  return {
    dataFolder,
    figures: {
      goals: [
        {
          goal: `import and index, ${items.toLocaleString("en-US")}, with reading, checks and store`,
          bar: `>= ${perSecond(BAR)} items/s of one core`,
          measured: `${perSecond(rate)} items/s of CPU (${cpuSeconds.toFixed(1)} s; wall ${wallSeconds.toFixed(1)} s)`,
          met: rate >= BAR,
        },
        {
          goal: `import, ${items.toLocaleString("en-US")}: peak memory of the process`,
          bar: "< 1 GB for 1,000,000 rows",
          measured: `${(peakBytes / 1e6).toFixed(0)} MB`,
          met: peakBytes < PEAK_BYTES,
        },
      ],
      tables: [],
    },
  };
}

/** Replaces the data with the same items under another mark. */
export async function importVersion(options: {
  readonly folder: string;
  readonly dataFolder: string;
  readonly items: number;
  readonly version: string;
  readonly niceness?: number;
}): Promise<Ended> {
  const { folder, dataFolder, items, version, niceness } = options;
  const file = join(folder, `${version}.ndjson`);
  await writeImportFile(file, items, version);
  const args = ["import", file, "--type", "place", "--map", join(folder, "mapping.json"), "--mode", "replace", "--yes"];
  return runCommand(dataFolder, args, niceness);
}

/** Arguments of `triptych directory`. */
export function runCommand(dataFolder: string, args: readonly string[], niceness = 0): Promise<Ended> {
  return runNode(["start.mjs", "directory", ...args], { environment: { TRIPTYCH_DATA: dataFolder }, niceness });
}
