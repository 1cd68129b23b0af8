/** Executes an explore run up to its final message. */
import type { Base } from "../git/base.ts";
import { planRepair } from "../scouts/mend/plan-repair.ts";
import type { CommonRunTools } from "../phases/run-limits.ts";
import type { ExploreOutcome } from "../phases/explore/explore-request.ts";
import { explore } from "../phases/explore/explore.ts";
import { canUpdateLock } from "../scouts/mend/can-update-lock.ts";
import { networkAccessOf } from "../scouts/network-access.ts";
import type { ScoutSelection } from "../phases/explore/select-scouts.ts";
import type { Report } from "./run-folder.ts";
import { toExploreRequest, type Assign } from "./wire.ts";

export interface ScoutContext {
  readonly scouts: ScoutSelection;
  readonly base: Base;
  readonly tools: CommonRunTools;
}

export async function scoutFor(assign: Assign, { scouts, base, tools }: ScoutContext): Promise<Omit<Report, "mid">> {
  const request = toExploreRequest(assign, base, scouts);
  const year = new Date(tools.now()).getUTCFullYear();
  const network = networkAccessOf(tools.hostEnvironment);
  const canUpdate = canUpdateLock({ request, network, environment: tools.hostEnvironment });
  const outcome = await explore(request, {
    ...tools,
    teamMember: scouts.teamMember,
    network,
    isMendable: async (gate, tree) => {
      const repair = await planRepair(gate, { tree, year });
      return repair !== null && (repair.lockTool === null || (await canUpdate(repair.lockTool)));
    },
  });
  return toFinalReport(outcome, base);
}

function toFinalReport(outcome: ExploreOutcome, base: Base): Omit<Report, "mid"> {
  switch (outcome.kind) {
    case "cancelled":
      return { state: "cancelled", data: {} };
    case "failed":
      return { state: "failed", data: { code: outcome.code, message: outcome.message, base } };
    case "found": {
      const { candidates, repeated, unproved } = outcome.found;
      const proofs = outcome.found.proofs.map(({ fingerprint, proof, isEvidenceGone }) => ({
        fingerprint,
        gate_proof: proof,
        is_evidence_gone: isEvidenceGone,
      }));
      const checks = outcome.found.checks.map(({ name, skipped }) => ({
        name,
        skipped: skipped?.slice(0, REASON_MAX) ?? null,
      }));
      const scan = { checks, unproved };
      return { state: "succeeded", data: { base, candidates, proofs, repeated, scan } };
    }
  }
}

/** Maximum length of a skip reason in the frame. */
const REASON_MAX = 500;
