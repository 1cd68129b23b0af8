/** From `npm start` on an empty data folder until the demo's run has ended, in a world without a network where the machine can make one. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { ms, type Figures } from "../../../packages/decisions/bench/report.ts";
import type { Started } from "./start-process.ts";

const PROCESS = fileURLToPath(new URL("start-process.ts", import.meta.url));
/** Words of `unshare`: a network of its own, of which only the loopback is up. */
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
  if (code !== 0) throw new Error(`the start was not measured: its process ended with ${String(code)}`);
  const { listensMs, endedMs, state, candidates } = JSON.parse(stdout) as Started;
  const network = isAlone ? "network off" : "network not cut off: this machine makes no network of its own";
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
