/**
 * One scout from its order to its report: clone and setup, then it reads, then every gate is run once at the base. Nothing it starts may
 * write the tree that it reads, and what is read is hashed before and after.
 */
import { join } from "node:path";
import { createMatcher } from "@triptych/change-policy";
import { setUp } from "../phases/setup.ts";
import type { Scene } from "../phases/run-context.ts";
import { RunFault } from "../run-error.ts";
import { COPIES, prepare, underLimits, type Begun, type RunPlace } from "../run-phases.ts";
import type { Seat } from "../team/team-members.ts";
import { askScout } from "./agent-scout.ts";
import { createCopies } from "./scratch-copies.ts";
import type { ExploreOrder, Explored, ExploreOutcome } from "./explore-request.ts";
import { byScore, type Finding } from "./finding.ts";
import { hashTree } from "./hash-tree.ts";
import { prove, type Proving } from "./verify-finding.ts";
import { scan } from "./scan/scan.ts";
import type { Ground } from "./scan/check.ts";
import { survey, type Outside } from "./run-scan.ts";

export interface ExploreTools extends RunPlace {
  /** Null where only the scan is asked for. */
  readonly seat: Seat | null;
  readonly outside: Outside;
  readonly isMendable: Proving["isMendable"];
}

/** Rejects only for a fault of our own. */
export async function explore(order: ExploreOrder, tools: ExploreTools): Promise<ExploreOutcome> {
  const ended = await underLimits(order, tools, (begun, reporter) => reconnoitre(begun, order, { ...tools, reporter }));
  return ended.kind === "done" ? { kind: "found", found: ended.value } : ended;
}

async function reconnoitre(begun: Begun, order: ExploreOrder, tools: ExploreTools): Promise<Explored> {
  const { reporter, outside, seat, isMendable } = tools;
  reporter.enter({ state: "preparing" });
  await using stack = new AsyncDisposableStack();
  const scene = await prepare(begun, tools);
  stack.use(scene.enclosure);
  const before = await hashTree(scene.tree);
  const enclose = (tree: string) =>
    tools.openEnclosure(
      { ...placeOf(tools.folder), tree, objects: scene.checkRepository.objects },
      { ...order, onBroken: begun.end },
    );
  const copies = createCopies(join(tools.folder, COPIES), enclose);
  // What setup leaves in the tree is for commands alone: scouts read what is in the repository.
  const ready = order.verify.setupCommand === null ? scene : stack.use(await copies.keep(scene, "ready")).scene;
  await setUp(ready);
  reporter.enter({ state: "running", baseline: null, verify: null });
  const ground = await survey(scene, { order, ready, copies, outside, now: tools.now() });
  const scanned = order.scouts.scan ? await scan(ground, scanOptions(scene, order)) : { findings: [], checks: [] };
  const said = order.scouts.agent && seat !== null ? await ask(scene, seat, { order, copies, ground }) : [];
  const findings = [...scanned.findings, ...said].filter(areaOf(order.areas)).toSorted(byScore);
  reporter.enter({ state: "verifying", diff: { files: 0, insertions: 0, deletions: 0 } });
  const proved = await prove(findings, { order, ready, copies, ground, isMendable });
  // Commands had copies; below a sandbox nothing else kept them from the tree itself.
  if ((await hashTree(scene.tree)) !== before) throw new RunFault("policy_violation", WROTE);
  const checks = scanned.checks.map(({ name, skipped }) => ({
    name,
    skipped: skipped === null ? null : scene.redactor.text(skipped),
  }));
  return { ...proved, checks };
}

const WROTE = "a command of the scout wrote in the tree that was to be read";

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
async function ask(scene: Scene, seat: Seat, { order, copies, ground }: Asking): Promise<readonly Finding[]> {
  try {
    return await askScout(scene, seat, { copies, tree: ground.tree, most: order.maxCandidates });
  } catch (error) {
    scene.signal.throwIfAborted();
    if (!(error instanceof RunFault) || error.code === "policy_violation" || !order.scouts.scan) throw error;
    const from = { role: "scout", cli: seat.member.cli, model: seat.member.model } as const;
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
