/**
 * Runs the gates of findings at the base: a passing gate means no work, an unrunnable one proves nothing. The worker's own gates only read;
 * every other command gets its own copy.
 */
import type { GateProof, Proposal } from "@triptych/contracts";
import { readGateLine } from "../../scouts/gate-command/gate-protocol.ts";
import type { RunContext } from "../run-context.ts";
import { shortened } from "../../run/reporter.ts";
import { missingMessage } from "../../process/missing-tool.ts";
import { tryCommand, type Copies, type ScratchCopy } from "./scratch-copies.ts";
import type { ExploreRequest, ExistingFinding, FindingProof, ProveResult } from "./explore-request.ts";
import { truncate } from "@triptych/util";
import type { Finding } from "../../scouts/finding.ts";
import { fitReport } from "./truncate-report.ts";
import type { Tree } from "../../scouts/reading/tree.ts";
import type { ScanContext, TriedCommand } from "../../scouts/scan/check.ts";

export interface ProveContext {
  readonly request: ExploreRequest;
  /** The tree after setup. */
  readonly ready: RunContext;
  readonly copies: Copies;
  readonly scanContext: ScanContext;
  readonly isMendable: (gate: string, tree: Tree) => Promise<boolean>;
}

/** `findings` best first. */
export async function proveFindings(findings: readonly Finding[], proving: ProveContext): Promise<ProveResult> {
  const { request, ready } = proving;
  const existing = new Map(request.existingFindings.map((finding) => [finding.fingerprint, finding]));
  await using readOnlyCopy = openReadOnlyCopy(proving);
  const candidates: Proposal[] = [];
  const repeated: string[] = [];
  let [isNew, waiting, unproved] = [0, 0, 0];
  for (const finding of findings) {
    const before = existing.get(finding.fingerprint);
    existing.delete(finding.fingerprint);
    if (before !== undefined && before.gate === null) repeated.push(finding.fingerprint);
    else if (before === undefined && isNew >= request.maxCandidates) waiting++;
    else {
      const candidate = await proveFinding(finding, proving, readOnlyCopy);
      if (candidate === null) {
        unproved++;
        continue;
      }
      candidates.push(candidate);
      if (before === undefined && candidate.gate_proof.exit_code !== 0) isNew++;
    }
  }
  if (waiting > 0) logMessage(ready, `${waiting} more findings are left for the next scout`);
  const proofs: FindingProof[] = [];
  for (const finding of existing.values())
    if (finding.gate !== null)
      proofs.push(await proveExistingFinding(finding, finding.gate, { proving, readOnlyCopy }));
  const report = fitReport({ candidates, proofs, repeated });
  const left = candidates.length - report.candidates.length;
  if (left > 0) logMessage(ready, `${left} more findings exceeded the report size`);
  return { ...report, unproved };
}

/** Runs one gate. */
type RunGate = (
  gate: { readonly command: string; readonly timeoutS: number },
  isOurs: boolean,
) => Promise<TriedCommand>;
interface ReadOnlyCopy extends AsyncDisposable {
  readonly runGate: RunGate;
}

/** One copy for all read-only gates, because copying a large tree is slow. */
function openReadOnlyCopy({ ready, copies }: ProveContext): ReadOnlyCopy {
  let shared: Promise<ScratchCopy> | null = null;
  const run = (context: RunContext, { command, timeoutS }: Parameters<RunGate>[0]) =>
    tryCommand(context, command, timeoutS);
  return {
    async runGate(gate, isOurs) {
      if (!isOurs) return copies.inCopy(ready, (context) => run(context, gate));
      const { context } = await (shared ??= copies.keep(ready, "gates"));
      return run(context, gate);
    },
    async [Symbol.asyncDispose]() {
      const copy = await shared?.catch(() => undefined);
      await copy?.[Symbol.asyncDispose]();
    },
  };
}

async function proveFinding(
  finding: Finding,
  proving: ProveContext,
  { runGate }: ReadOnlyCopy,
): Promise<Proposal | null> {
  const { ready, scanContext, request, isMendable } = proving;
  const { command } = finding.gate;
  const paths = finding.evidence.map(({ path }) => path);
  if (ready.redactor.find([command, ...paths, ...finding.gate.frozenPaths].join("\n")).length > 0) {
    logMessage(ready, "a finding was dropped: its gate contains a secret");
    return null;
  }
  const ran = command === request.verify.command ? (await scanContext.verifyTwice()).at(-1) : undefined;
  const proof = proofOf(ran ?? (await runGate(finding.gate, isReadOnlyGate(finding))), isOwnGate(command));
  if (typeof proof === "string") {
    logMessage(ready, `${finding.title}: ${proof}`);
    return null;
  }
  const isFixable = finding.source === "scan" && proof.exit_code !== 0 && (await isMendable(command, scanContext.tree));
  // A run of the candidate would end at its checks, because nothing is pushed without them.
  const mendable = isFixable && (await scanContext.verifyTwice()).every(({ missing }) => missing === null);
  const candidate = proposalOf(finding, proof, { context: ready, mendable });
  if (proof.exit_code === 0) logMessage(ready, `${candidate.title}: its gate already passes`);
  else {
    const { title, category, score, fingerprint } = candidate;
    const data = { category, score, fingerprint, gate: command, exit_code: proof.exit_code, mendable };
    ready.reporter.say({
      from: { role: "scout", cli: finding.source, model: null },
      kind: "candidate",
      text: title,
      data,
      round: 1,
    });
  }
  return candidate;
}

async function proveExistingFinding(
  { fingerprint, paths }: ExistingFinding,
  gate: NonNullable<ExistingFinding["gate"]>,
  { proving, readOnlyCopy }: { readonly proving: ProveContext; readonly readOnlyCopy: ReadOnlyCopy },
): Promise<FindingProof> {
  const { files, folders } = proving.scanContext.tree;
  const isOurs = isOwnGate(gate.command);
  const proof = proofOf(await readOnlyCopy.runGate(gate, isOurs), isOurs);
  const isEvidenceGone = paths.length > 0 && !paths.some((path) => files.has(path) || folders.has(path));
  return { fingerprint, proof: typeof proof === "string" ? null : proof, isEvidenceGone };
}

/** Gates that start no command of the repository, and the scan's own grep commands. */
function isReadOnlyGate({ source, gate }: Finding): boolean {
  return source === "scan" && (isOwnGate(gate.command) || gate.command.startsWith("! grep "));
}

function isOwnGate(command: string): boolean {
  const args = readGateLine(command);
  return args !== null && args[0] !== "faster-than";
}

const OUTPUT_BYTES_MAX = 2_000;

/** The proof, or why there is none: the gate was killed, could not start, or reported an error. */
function proofOf(run: TriedCommand, isOurs: boolean): GateProof | string {
  const { exitCode, ending, durationMs, output, missing } = run;
  if (exitCode === null) return `its gate was stopped (${ending})`;
  if (missing !== null) return missingMessage("gate", missing, exitCode);
  if (isOurs && exitCode === 2) return `its gate could not run: ${output.trim()}`;
  return { exit_code: exitCode, duration_ms: durationMs, output: shortened(output, OUTPUT_BYTES_MAX) };
}

interface ProposalOptions {
  readonly context: RunContext;
  readonly mendable: boolean;
}

/** Redacts and truncates all text from the repository or a model. */
function proposalOf(finding: Finding, gate_proof: GateProof, { context, mendable }: ProposalOptions): Proposal {
  const { category, score, effort, risk, source, fingerprint, gate, evidence } = finding;
  const clean = (text: string, most: number) => truncate(context.redactor.text(text), most);
  const line = (text: string, most: number) => clean(text.replaceAll(/\p{Cc}+/gu, " ").trim(), most);
  return {
    title: line(finding.title, 120) || "A finding",
    focus: clean(finding.focus, 4_000),
    rationale: clean(finding.rationale, 2_000),
    gate: {
      cmd: gate.command,
      expect: "exit_zero",
      baseline: "must_fail",
      timeout_s: gate.timeoutS,
      ...(gate.frozenPaths.length > 0 && { frozen_paths: [...gate.frozenPaths] }),
    },
    gate_proof,
    evidence: evidence.slice(0, 10).map(({ path, line: at, excerpt }) => ({
      path,
      line: at,
      sha: context.request.clone.sha,
      excerpt: line(excerpt, 300),
    })),
    category,
    score,
    effort,
    risk,
    source,
    fingerprint,
    mendable,
  };
}

function logMessage({ reporter }: RunContext, text: string): void {
  reporter.say({ from: { role: "worker" }, kind: "log", text, round: 1 });
}
