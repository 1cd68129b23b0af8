/** The statement of a pushed run: what the panel knows about it, as an in-toto Statement v1 in a signed DSSE envelope. */
import { sign } from "node:crypto";
import {
  type CommandResult,
  IN_TOTO_MEDIA,
  IN_TOTO_STATEMENT_TYPE,
  type Network,
  RUN_PREDICATE_PATH,
  type RunPredicate,
  type RunStatement,
  type StatementResult,
} from "@triptych/contracts";
import type { SigningKey } from "@triptych/encryption";
import type { CommandLogs } from "./check-logs.ts";
import type { RepoRecord, RunFacts, RunRecord } from "./records.ts";

export interface StatementInput {
  readonly run: RunRecord;
  readonly repo: Pick<RepoRecord, "id" | "url" | "provider">;
  readonly branch: string;
  readonly pushedAt: number;
  /** Null if the worker did not report its isolation. */
  readonly network: Network | null;
  /** Stored logs by the name in the worker's report; a log that is not stored is missing. */
  readonly logs: ReadonlyMap<string, { readonly sha256: string; readonly bytes: number }>;
  readonly panel: { readonly url: string; readonly version: string };
  /** Settings may contain a pasted secret. */
  readonly redact: (text: string) => string;
}

export function statementOf(input: StatementInput): RunStatement {
  const { run, repo, branch, panel } = input;
  const { headSha, diff } = run.facts;
  if (headSha === null) throw new Error(`run ${run.id} was pushed without a head`);
  const patchId = diff?.patch_id ?? null;
  return {
    _type: IN_TOTO_STATEMENT_TYPE,
    subject: [
      { name: `git+${repo.url}@refs/heads/${branch}`, digest: { gitCommit: headSha } },
      ...(patchId === null ? [] : [{ name: `${run.id}.patch`, digest: { gitPatchId: patchId } }]),
    ],
    predicateType: `${panel.url}${RUN_PREDICATE_PATH}`,
    predicate: { ...identityOf(input, headSha), ...checksOf(input), ...conditionsOf(input) },
  };
}

type Identity = Pick<RunPredicate, "run" | "repo" | "base" | "commit" | "diff" | "times" | "panel">;

function identityOf({ run, repo, branch, pushedAt, panel }: StatementInput, headSha: string): Identity {
  const { spec, facts } = run;
  if (facts.base === null) throw new Error(`run ${run.id} was pushed without a base`);
  return {
    run: {
      id: run.id,
      url: `${panel.url}/runs/${run.id}`,
      kind: run.kind,
      trigger: spec.trigger.type,
      attempt: run.attempt,
    },
    repo: { id: repo.id, name: spec.repoName, url: repo.url, provider: repo.provider },
    base: { branch: facts.base.branch, sha: facts.base.sha },
    commit: { sha: headSha, branch, parents: facts.parents ?? null },
    diff: facts.diff,
    times: {
      queued_at: timeText(run.queuedAt),
      leased_at: timeOrNull(run.leasedAt),
      started_at: timeOrNull(run.startedAt),
      pushed_at: timeText(pushedAt),
    },
    panel: { version: panel.version },
  };
}

type Checked = Pick<RunPredicate, "focus" | "gate" | "verify" | "results">;

function checksOf({ run, logs, redact }: StatementInput): Checked {
  const { spec, facts, focus } = run;
  const { setup_cmd, timeout_s, retries, baseline } = spec.settings.verify;
  const { verify } = facts;
  const result = (end: CommandResult | undefined, log: string | null): StatementResult | null =>
    end === null || end === undefined
      ? null
      : {
          exit_code: end.exit_code,
          duration_ms: end.duration_ms,
          log: (log === null ? undefined : logs.get(log)) ?? null,
        };
  const named = (at: CommandLogs | undefined) => at ?? { verify: null, gate: null };
  const before = named(facts.logs?.baseline);
  return {
    focus: redact(focus),
    gate: spec.gate === null ? null : { ...spec.gate, cmd: redact(spec.gate.cmd) },
    verify: {
      cmd: spec.verifyCmd === null ? null : redact(spec.verifyCmd),
      setup_cmd: setup_cmd === null || setup_cmd === undefined ? null : redact(setup_cmd),
      timeout_s,
      retries,
      baseline,
    },
    results: {
      verdict: verify.verdict,
      baseline: {
        verify: result(verify.baseline, before.verify),
        gate: result(verify.gate?.baseline, before.gate),
        cached: verify.baseline?.cached ?? null,
      },
      attempts: verify.attempts.map((attempt, index) => {
        const { verify: verifyLog, gate: gateLog } = named(facts.logs?.attempts[index]);
        return { verify: result(attempt.verify, verifyLog), gate: result(attempt.gate, gateLog) };
      }),
    },
  };
}

type Conditions = Pick<RunPredicate, "agents" | "isolation" | "caps" | "usage" | "policy">;

function conditionsOf({ run: { spec, facts }, network }: StatementInput): Conditions {
  const { isolation, limits, protected_paths } = spec.settings;
  return {
    agents:
      facts.agents?.map(({ role, cli, version, model }) => ({ role, cli, version: version ?? null, model })) ?? null,
    isolation: { level: facts.isolationLevel, network, allow_hosts: isolation.allow_hosts },
    caps: limits,
    usage: facts.usage,
    policy: {
      verdict: "accepted",
      protected_paths,
      approved: facts.review?.approved ?? null,
      warnings: facts.warnings,
      ai_policy: aiPolicyIn(facts.aiPolicy),
    },
  };
}

/** Leaves out quote and reason, which can name people. */
function aiPolicyIn(policy: RunFacts["aiPolicy"]): RunPredicate["policy"]["ai_policy"] {
  if (policy === undefined) return null;
  return { stance: policy.stance, source: policy.source, overridden: policy.override !== null };
}

/** DSSE, version 1: the signature covers the payload's type and bytes. */
export function signStatement(statement: RunStatement, { kid, privateKey }: SigningKey): string {
  const payload = Buffer.from(JSON.stringify(statement));
  const head = `DSSEv1 ${IN_TOTO_MEDIA.length} ${IN_TOTO_MEDIA} ${payload.length} `;
  const sig = sign(null, Buffer.concat([Buffer.from(head), payload]), privateKey).toString("base64");
  return JSON.stringify({
    payload: payload.toString("base64"),
    payloadType: IN_TOTO_MEDIA,
    signatures: [{ keyid: kid, sig }],
  });
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}

function timeOrNull(at: number | null): string | null {
  return at === null ? null : timeText(at);
}
