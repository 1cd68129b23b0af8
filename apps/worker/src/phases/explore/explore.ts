/**
 * An explore run: clone, setup, scan and agent, then each gate once at the base commit. No process may change the tree,
 * so it is hashed before and after.
 */
import type { NetworkAccess } from "../../scouts/network-access.ts";
import { join } from "node:path";
import { createMatcher } from "@triptych/change-policy";
import { setUp } from "../setup.ts";
import type { RunContext } from "../run-context.ts";
import { RunError } from "../../run/run-error.ts";
import { scratchFolderOf, underLimits, type CommonRunTools } from "../run-limits.ts";
import type { TeamMember } from "../../agents/team-members.ts";
import { askScout } from "./agent-scout.ts";
import { createCopies } from "./scratch-copies.ts";
import type { ExploreRequest, Explored, ExploreOutcome } from "./explore-request.ts";
import { byScore, type Finding } from "../../scouts/finding.ts";
import { hashTree } from "./hash-tree.ts";
import { proveFindings, type ProveContext } from "./verify-finding.ts";
import { scan } from "../../scouts/scan/scan.ts";
import type { ScanContext } from "../../scouts/scan/check.ts";
import { createScanContext } from "./run-scan.ts";

export interface ExploreTools extends CommonRunTools {
  /** Null if only the scan runs. */
  readonly teamMember: TeamMember | null;
  readonly network: NetworkAccess;
  readonly isMendable: ProveContext["isMendable"];
}

/** Rejects only on an internal error. */
export async function explore(request: ExploreRequest, tools: ExploreTools): Promise<ExploreOutcome> {
  const result = await underLimits(request, tools, (context) => exploreTree(context, request, tools));
  return result.kind === "done" ? { kind: "found", found: result.value } : result;
}

async function exploreTree(context: RunContext, request: ExploreRequest, tools: ExploreTools): Promise<Explored> {
  const { network, teamMember, isMendable } = tools;
  const { reporter } = context;
  await using stack = new AsyncDisposableStack();
  const before = await hashTree(context.tree);
  const createSandboxFor = (tree: string) =>
    tools.createSandbox(
      { ...sandboxFolders(tools.folder), tree, objects: context.checkRepository.objects },
      { ...request, onBroken: context.end },
    );
  const copies = createCopies(scratchFolderOf(tools.folder), createSandboxFor);
  // Setup runs in a copy that only commands use, because scouts read the files of the commit.
  const ready = request.verify.setupCommand === null ? context : stack.use(await copies.keep(context, "ready")).context;
  await setUp(ready);
  reporter.enter({ state: "running", baseline: null, verify: null });
  const scanContext = await createScanContext(context, { request, ready, copies, network, now: tools.now() });
  const scanned = request.scouts.scan
    ? await scan(scanContext, scanOptions(context, request))
    : { findings: [], checks: [] };
  const proposed =
    request.scouts.agent && teamMember !== null
      ? await askAgent(context, teamMember, { request, copies, scanContext })
      : [];
  const findings = [...scanned.findings, ...proposed].filter(areaFilter(request.areas)).toSorted(byScore);
  reporter.enter({ state: "verifying", diff: { files: 0, insertions: 0, deletions: 0 } });
  const proved = await proveFindings(findings, { request, ready, copies, scanContext, isMendable });
  // Commands ran in copies. Without a sandbox, nothing else protects the tree.
  if ((await hashTree(context.tree)) !== before) throw new RunError("policy_violation", TREE_CHANGED);
  const checks = scanned.checks.map(({ name, skipped }) => ({
    name,
    skipped: skipped === null ? null : context.redactor.text(skipped),
  }));
  return { ...proved, checks };
}

const TREE_CHANGED = "a command of the scout changed the tree, which is read-only";

function sandboxFolders(folder: string) {
  const at = (name: string) => join(folder, name);
  return { gitFolder: at("repository.git"), home: at("home"), temporary: at("tmp"), notes: at("notes") };
}

function scanOptions(context: RunContext, { checks }: ExploreRequest) {
  const onSkipped = (check: string, reason: string) =>
    context.reporter.say({
      from: { role: "scout", cli: "scan", model: null },
      kind: "log",
      text: `${check}: ${reason}`,
      data: { check },
      round: 1,
    });
  return { checks, signal: context.signal, onSkipped };
}

interface AskOptions {
  readonly request: ExploreRequest;
  readonly copies: ReturnType<typeof createCopies>;
  readonly scanContext: ScanContext;
}

/** If the scan runs too, a failing agent costs only its own findings. An agent that changes the tree fails the run. */
async function askAgent(
  context: RunContext,
  teamMember: TeamMember,
  { request, copies, scanContext }: AskOptions,
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

/** A finding without evidence concerns the whole repository, so it is dropped if only parts are explored. */
function areaFilter(areas: readonly string[]): (finding: Finding) => boolean {
  const isWholeRepository = areas.length === 0 || areas.includes("**");
  const matches = createMatcher(areas);
  return ({ evidence }) => isWholeRepository || evidence.some(({ path }) => matches(path));
}
