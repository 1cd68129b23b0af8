/**
 * One scout from order to report: clone, setup, reading, then every gate once at the base. Its processes cannot write the tree, which is
 * hashed before and after.
 */
import { join } from "node:path";
import { createMatcher } from "@triptych/change-policy";
import { setUp } from "../phases/setup.ts";
import type { RunContext } from "../phases/run-context.ts";
import { RunError } from "../run-error.ts";
import { SCRATCH_FOLDER, prepare, underLimits, type PreparedRun, type CommonRunTools } from "../run-phases.ts";
import type { TeamMember } from "../team/team-members.ts";
import { askScout } from "./agent-scout.ts";
import { createCopies } from "./scratch-copies.ts";
import type { ExploreRequest, Explored, ExploreOutcome } from "./explore-request.ts";
import { byScore, type Finding } from "./finding.ts";
import { hashTree } from "./hash-tree.ts";
import { prove, type Proving } from "./verify-finding.ts";
import { scan } from "./scan/scan.ts";
import type { ScanContext } from "./scan/check.ts";
import { survey, type NetworkAccess } from "./run-scan.ts";

export interface ExploreTools extends CommonRunTools {
  /** Null where only the scan runs. */
  readonly teamMember: TeamMember | null;
  readonly network: NetworkAccess;
  readonly isMendable: Proving["isMendable"];
}

/** Rejects only on an internal error. */
export async function explore(request: ExploreRequest, tools: ExploreTools): Promise<ExploreOutcome> {
  const ended = await underLimits(request, tools, (prepared, reporter) =>
    exploreTree(prepared, request, { ...tools, reporter }),
  );
  return ended.kind === "done" ? { kind: "found", found: ended.value } : ended;
}

async function exploreTree(prepared: PreparedRun, request: ExploreRequest, tools: ExploreTools): Promise<Explored> {
  const { reporter, network, teamMember, isMendable } = tools;
  reporter.enter({ state: "preparing" });
  await using stack = new AsyncDisposableStack();
  const context = await prepare(prepared, tools);
  stack.use(context.sandbox);
  const before = await hashTree(context.tree);
  const enclose = (tree: string) =>
    tools.createSandbox(
      { ...foldersIn(tools.folder), tree, objects: context.checkRepository.objects },
      { ...request, onBroken: prepared.end },
    );
  const copies = createCopies(join(tools.folder, SCRATCH_FOLDER), enclose);
  // Setup output is for commands alone: scouts read the repository's files.
  const ready = request.verify.setupCommand === null ? context : stack.use(await copies.keep(context, "ready")).context;
  await setUp(ready);
  reporter.enter({ state: "running", baseline: null, verify: null });
  const scanContext = await survey(context, { request, ready, copies, network, now: tools.now() });
  const scanned = request.scouts.scan
    ? await scan(scanContext, scanOptions(context, request))
    : { findings: [], checks: [] };
  const proposed =
    request.scouts.agent && teamMember !== null ? await ask(context, teamMember, { request, copies, scanContext }) : [];
  const findings = [...scanned.findings, ...proposed].filter(areaOf(request.areas)).toSorted(byScore);
  reporter.enter({ state: "verifying", diff: { files: 0, insertions: 0, deletions: 0 } });
  const proved = await prove(findings, { request, ready, copies, scanContext, isMendable });
  // Commands had copies; below a sandbox nothing else protects the tree.
  if ((await hashTree(context.tree)) !== before) throw new RunError("policy_violation", WROTE);
  const checks = scanned.checks.map(({ name, skipped }) => ({
    name,
    skipped: skipped === null ? null : context.redactor.text(skipped),
  }));
  return { ...proved, checks };
}

const WROTE = "a command of the scout changed the tree, which is read-only";

function foldersIn(folder: string) {
  const at = (name: string) => join(folder, name);
  return { gitFolder: at("repository.git"), home: at("home"), temporary: at("tmp"), notes: at("notes") };
}

function scanOptions(context: RunContext, { checks }: ExploreRequest) {
  const onSkipped = (check: string, why: string) =>
    context.reporter.say({
      from: { role: "scout", cli: "scan", model: null },
      kind: "log",
      text: `${check}: ${why}`,
      data: { check },
      round: 1,
    });
  return { checks, signal: context.signal, onSkipped };
}

interface Asking {
  readonly request: ExploreRequest;
  readonly copies: ReturnType<typeof createCopies>;
  readonly scanContext: ScanContext;
}

/** Beside a scan, a failing agent loses only its own findings; one that writes fails the run. */
async function ask(
  context: RunContext,
  teamMember: TeamMember,
  { request, copies, scanContext }: Asking,
): Promise<readonly Finding[]> {
  try {
    return await askScout(context, teamMember, { copies, tree: scanContext.tree, most: request.maxCandidates });
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof RunError) || error.code === "policy_violation" || !request.scouts.scan) throw error;
    const from = { role: "scout", cli: teamMember.member.cli, model: teamMember.member.model } as const;
    context.reporter.say({ from, kind: "error", text: error.message, round: 1 });
    return [];
  }
}

/** A finding without a place concerns the whole repository. */
function areaOf(areas: readonly string[]): (finding: Finding) => boolean {
  const isEverywhere = areas.length === 0 || areas.includes("**");
  const matches = createMatcher(areas);
  return ({ evidence }) => isEverywhere || evidence.some(({ path }) => matches(path));
}
