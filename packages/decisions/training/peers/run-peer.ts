/** Runs classifiers of other projects, each in its own process in `e2e/peers`, with its own packages. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Labelled } from "../labelled-rows.ts";

export interface PeerTask {
  readonly language: string;
  readonly train: readonly Labelled[];
  readonly texts: readonly string[];
}

export interface PeerResult {
  readonly seconds: number;
  readonly microsecondsPerDecision: number;
  readonly answers: readonly { readonly label: string; readonly score: number; readonly confidence: number | null }[];
}

const FOLDER = fileURLToPath(new URL("../../../../e2e/peers/", import.meta.url));
const PROGRAMS = {
  "tf-idf + SVM": ["liblinear.ts", "svm"],
  "tf-idf + LR": ["liblinear.ts", "lr"],
  "nlp.js": ["node-nlp.ts"],
  "natural Bayes": ["natural-bayes.ts"],
} as const;

export type Peer = keyof typeof PROGRAMS;
export const PEERS: readonly Peer[] = ["tf-idf + SVM", "tf-idf + LR", "nlp.js", "natural Bayes"];

/** Installs the packages of the lock file, and checks that LIBLINEAR is installed. */
export function installPeers(): void {
  if (!existsSync(`${FOLDER}node_modules`))
    execFileSync("npm", ["ci", "--prefix", FOLDER, "--no-audit", "--no-fund", "--ignore-scripts"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  if (spawnSync("liblinear-train").error !== undefined)
    throw new Error("liblinear-train is missing. Install LIBLINEAR, for example with apt-get install liblinear-tools.");
}

export function runPeer(peer: Peer, task: PeerTask): PeerResult {
  const [program, ...args] = PROGRAMS[peer];
  const output = execFileSync(process.execPath, [`${FOLDER}${program}`, ...args], {
    input: JSON.stringify(task),
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  const result: PeerResult = JSON.parse(output);
  if (result.answers.length !== task.texts.length)
    throw new Error(`${peer}: ${result.answers.length} answers to ${task.texts.length} texts.`);
  return result;
}
