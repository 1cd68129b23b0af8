/** Time from `npm start` on an empty data folder to the end of the demo run, without a network where possible. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ms, type Figures } from "../../../packages/decisions/bench/report.ts";
import type { Started } from "./start-process.ts";

const PROCESS = fileURLToPath(new URL("start-process.ts", import.meta.url));
/** Arguments of `unshare`: a network namespace with loopback only. */
const ALONE = ["--user", "--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];

export async function measureStart({ folder }: { readonly folder: string }): Promise<Figures> {
  const isAlone = canBeAlone();
  const args = [PROCESS, folder];
  const child = spawn(isAlone ? "unshare" : process.execPath, isAlone ? [...ALONE, process.execPath, ...args] : args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.on("data", (text: Buffer) => (stdout += text.toString()));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`start benchmark failed: its process exited with ${String(code)}`);
  const { listensMs, endedMs, state, candidates } = JSON.parse(stdout) as Started;
  const network = isAlone ? "network off" : "network on: this machine supports no network namespace";
  const goal = {
    goal: "15: `npm start` -> demo run ended and 4 candidates",
    bar: "<= 60 s (aim 10 s), network off",
    measured: `${state} and ${candidates} candidates after ${ms(endedMs)}, listening after ${ms(listensMs)}; ${network}`,
    met: state === "pushed" && candidates >= 4 && endedMs <= 60_000 && isAlone,
  };
  return { goals: [goal], tables: [] };
}

function canBeAlone(): boolean {
  try {
    execFileSync("unshare", [...ALONE, "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
