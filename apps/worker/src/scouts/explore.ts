/**
 * One scout from its order to its report: clone and setup, then it reads, then every gate is run once at the base. Nothing it starts may
 * write the tree that it reads, and what is read is hashed before and after.
 */
import { join } from "node:path";
import { createMatcher } from "@triptych/change-policy";
import type { Agent } from "../agents/agent.ts";
import { setUp } from "../phases/setup.ts";
import type { Scene } from "../phases/scene.ts";
import { RunFault } from "../run-fault.ts";
import { COPIES, prepare, underLimits, type RunTools } from "../run-phases.ts";
import { askScout } from "./agent-scout.ts";
import { createCopies } from "./copies.ts";
import type { ExploreOrder, ExploreOutcome, ExploreReport } from "./explore-order.ts";
import { byScore, type Finding } from "./finding.ts";
import { prove, type Proving } from "./prove.ts";
import { scan } from "./scan/scan.ts";
import type { Ground } from "./scan/check.ts";
import { survey, type Outside } from "./survey.ts";

export interface ExploreTools extends Omit<RunTools, "agent"> {
  /** Null where only the scan is asked for. */
  readonly agent: Agent | null;
  readonly outside: Outside;
  readonly isMendable: Proving["isMendable"];
}

/** Rejects only for a fault of our own. */
export async function explore(order: ExploreOrder, tools: ExploreTools): Promise<ExploreOutcome> {
  const report = { baseline: null, attempts: [], verdict: null };
  const ended = await underLimits(order, tools, async (begun, reporter) => {
    reporter.enter({ state: "preparing" });
    const scene = await prepare(begun, { ...tools, reporter });
    await using _ = scene.enclosure;
    return await reconnoitre(scene, order, tools);
  });
  return ended.kind === "done" ? { kind: "found", found: ended.value } : { ...ended, report };
}

async function reconnoitre(scene: Scene, order: ExploreOrder, tools: ExploreTools): Promise<ExploreReport> {
  const place = (name: string) => join(tools.folder, name);
  const copies = createCopies(place(COPIES), (tree) => tools.openEnclosure({ ...placeOf(tools.folder), tree }));
  await using stack = new AsyncDisposableStack();
  // What setup leaves in the tree is for commands alone: scouts read what is in the repository.
  const ready = order.verify.setupCommand === null ? scene : stack.use(await copies.keep(scene, "ready")).scene;
  await setUp(ready);
  scene.reporter.enter({ state: "running", baseline: null, verify: null });
  const ground = await survey(scene, { order, ready, copies, outside: tools.outside, now: tools.now() });
  const scanned = order.scouts.scan ? await scan(ground, scanOptions(scene, order)) : [];
  const said =
    order.scouts.agent && tools.agent !== null ? await ask(scene, tools.agent, { order, copies, ground }) : [];
  const inArea = areaOf(order.areas);
  const findings = [...scanned, ...said].filter(inArea).toSorted(byScore);
  scene.reporter.enter({ state: "verifying", diff: { files: 0, insertions: 0, deletions: 0 } });
  return await prove(findings, { order, ready, copies, ground, isMendable: tools.isMendable });
}

/** As `prepare` lays it out. */
function placeOf(folder: string) {
  const at = (name: string) => join(folder, name);
  return { gitFolder: at("repository.git"), home: at("home"), temporary: at("tmp"), notes: at("notes") };
}

function scanOptions(scene: Scene, { checks }: ExploreOrder) {
  const tell = (check: string, why: string) =>
    scene.reporter.say({
      from: { role: "scout", cli: "scan", model: null },
      kind: "log",
      text: `${check}: ${why}`,
      data: { check },
      round: 1,
    });
  return { checks, signal: scene.signal, tell };
}

interface Asking {
  readonly order: ExploreOrder;
  readonly copies: ReturnType<typeof createCopies>;
  readonly ground: Ground;
}

/** Beside a scan, an agent that fails costs its own findings and no others; one that writes fails the run. */
async function ask(scene: Scene, agent: Agent, { order, copies, ground }: Asking): Promise<readonly Finding[]> {
  try {
    return await askScout(scene, agent, { copies, tree: ground.tree, most: order.maxCandidates });
  } catch (error) {
    scene.signal.throwIfAborted();
    if (!(error instanceof RunFault) || error.code === "policy_violation" || !order.scouts.scan) throw error;
    const from = { role: "scout", cli: order.coder.cli, model: order.coder.model } as const;
    scene.reporter.say({ from, kind: "error", text: error.message, round: 1 });
    return [];
  }
}

/** What has no place of its own is a matter of the whole repository. */
function areaOf(areas: readonly string[]): (finding: Finding) => boolean {
  const isEverywhere = areas.length === 0 || areas.includes("**");
  const matches = createMatcher(areas);
  return ({ evidence }) => isEverywhere || evidence.some(({ path }) => matches(path));
}
