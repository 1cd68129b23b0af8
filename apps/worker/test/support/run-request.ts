/** An order of the panel: a codemod repairs the sum. */
import type { PanelFrame } from "@triptych/contracts";
import { VERIFY } from "./repository.ts";

export type Assign = Extract<PanelFrame, { readonly t: "assign" }>;

export const RUN_TOKEN = "rt_token-of-this-run-and-epoch";
const HOUR_MS = 3_600_000;

export function createAssign(clone: string, cid: string, changes: object = {}): Assign {
  return {
    t: "assign",
    cid,
    run_id: "run_1",
    epoch: 1,
    repo_id: "rep_1",
    deadline: new Date(Date.now() + HOUR_MS).toISOString(),
    run_token: RUN_TOKEN,
    clone: { url: clone, branch: null, sha: null },
    verify: { cmd: VERIFY, setup_cmd: null, timeout_s: 60, retries: 0, baseline: true },
    gate: null,
    team: { preset: "solo", max_rounds: 1, members: [{ role: "coder", cli: "command", command: REPAIR }] },
    prompt: { focus: "Repair the sum", memories: [] },
    limits: {
      timeout_s: 60,
      idle_timeout_s: 60,
      max_cost_micro: null,
      max_tokens: null,
      max_turns: null,
      max_changed_files: 40,
      max_diff_lines: 1500,
      disk_mb: 64,
      memory_mb: null,
      processes: null,
    },
    isolation: { network: "open", allow_hosts: [], level_required: "worktree" },
    kind: "maintain",
    ...OF_LATER_PANELS,
    ...changes,
  };
}

/** Optional members of an order, added after its first version. */
const OF_LATER_PANELS: Pick<Assign, "protected_paths" | "explore"> = {
  protected_paths: [".github/**"],
  explore: { enabled: false, scout: "auto", max_candidates: 10, areas: ["**"], checks: null },
};

/** A codemod that makes the red repository green. */
const REPAIR = ["/bin/sed", "-i", "s/a - b/a + b/", "sum.mjs"];
