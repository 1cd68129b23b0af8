/** Duration of the worker's scan of a large tree, and whether two scans agree. In a separate process, like a worker. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ms, type Figures } from "../../../packages/decisions/bench/report.ts";
import type { Scanned } from "../../../apps/worker/bench/scan-process.ts";

const PROCESS = fileURLToPath(new URL("../../../apps/worker/bench/scan-process.ts", import.meta.url));
const FILES = 10_000;
const BAR_MS = 5_000;

export async function measureScan({ folder }: { readonly folder: string }): Promise<Figures> {
  const child = spawn(process.execPath, [PROCESS, folder, String(FILES)], { stdio: ["ignore", "pipe", "inherit"] });
  let stdout = "";
  child.stdout.on("data", (text: Buffer) => (stdout += text.toString()));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`scan benchmark failed: its process exited with ${String(code)}`);
  const { files, bytes, scanMs, scanCpuMs, wholeMs, found, isSame } = JSON.parse(stdout) as Scanned;
  const slowest = Math.max(...scanMs);
  const goal = {
    goal: `19: scan of a tree of ${files} files`,
    bar: "<= 5 s, same output twice",
    measured: `${scanMs.map(ms).join(" and ")}, ${isSame ? "the same" : "NOT the same"} twice`,
    met: slowest <= BAR_MS && isSame,
  };
  const rows = scanMs.map((scan, index) => [
    `${index + 1}`,
    ms(scan),
    ms(scanCpuMs[index] ?? 0),
    ms(wholeMs[index] ?? 0),
    String(found),
  ]);
  const title = `Scan of ${files} files, ${(bytes / 1_000_000).toFixed(0)} MB`;
  return {
    goals: [goal],
    tables: [{ title, heads: ["Turn", "Scan", "CPU time", "With clone and all gates", "Candidates"], rows }],
  };
}
