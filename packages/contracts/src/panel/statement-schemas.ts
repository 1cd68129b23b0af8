/** The signed statement of a run: a DSSE envelope over an in-toto Statement v1. */
import { Type } from "typebox";
import type { BusRole, IsolationLevel, Network, RunKind, RunTrigger } from "./limits.ts";
import type { AiPolicy } from "./repo-schemas.ts";
import type { RunDiff, RunGate, RunUsage, RunVerify } from "./run-schemas.ts";
import { strictObject } from "./schema-helpers.ts";
import type { RepoSettings } from "./settings-schemas.ts";

export const IN_TOTO_MEDIA = "application/vnd.in-toto+json";
export const IN_TOTO_STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
/** Follows the address of the panel in `predicateType`. */
export const RUN_PREDICATE_PATH = "/predicates/run/v1";

export const StatementEnvelope = strictObject(
  {
    payload: Type.String({ description: "the in-toto Statement v1, base64" }),
    payloadType: Type.Literal(IN_TOTO_MEDIA),
    signatures: Type.Array(
      strictObject(
        {
          keyid: Type.String({ description: "`kid` of a key in `/.well-known/jwks.json`" }),
          sig: Type.String({ description: "Ed25519 over the DSSE pre-authentication encoding, base64" }),
        },
        { title: "StatementSignature" },
      ),
      { minItems: 1, maxItems: 1 },
    ),
  },
  { title: "StatementEnvelope", description: "DSSE envelope" },
);

/** Facts that the panel does not know are null. */
export interface RunStatement {
  readonly _type: typeof IN_TOTO_STATEMENT_TYPE;
  readonly subject: readonly { readonly name: string; readonly digest: Readonly<Record<string, string>> }[];
  readonly predicateType: string;
  readonly predicate: RunPredicate;
}

export interface RunPredicate {
  readonly run: {
    readonly id: string;
    readonly url: string;
    readonly kind: RunKind;
    readonly trigger: RunTrigger;
    readonly attempt: number;
  };
  readonly repo: { readonly id: string; readonly name: string; readonly url: string; readonly provider: string };
  readonly base: { readonly branch: string; readonly sha: string };
  readonly commit: { readonly sha: string; readonly branch: string; readonly parents: readonly string[] | null };
  readonly diff: RunDiff | null;
  readonly focus: string;
  readonly gate: RunGate | null;
  readonly verify: {
    readonly cmd: string | null;
    readonly setup_cmd: string | null;
    readonly timeout_s: number;
    readonly retries: number;
    readonly baseline: boolean;
  };
  readonly results: {
    readonly verdict: RunVerify["verdict"];
    readonly baseline: StatementChecks & { readonly cached: boolean | null };
    readonly attempts: readonly StatementChecks[];
  };
  readonly agents:
    | readonly {
        readonly role: BusRole;
        readonly cli: string;
        readonly version: string | null;
        readonly model: string | null;
      }[]
    | null;
  readonly isolation: {
    readonly level: IsolationLevel | null;
    readonly network: Network | null;
    readonly allow_hosts: readonly string[];
  };
  readonly caps: RepoSettings["limits"];
  readonly usage: RunUsage;
  readonly policy: {
    readonly verdict: "accepted";
    readonly protected_paths: readonly string[];
    readonly approved: boolean | null;
    readonly warnings: readonly string[];
    /** The project's AI policy at the base commit. */
    readonly ai_policy: {
      readonly stance: AiPolicy["stance"];
      readonly source: string | null;
      readonly overridden: boolean;
    } | null;
  };
  readonly times: {
    readonly queued_at: string;
    readonly leased_at: string | null;
    readonly started_at: string | null;
    readonly pushed_at: string;
  };
  readonly panel: { readonly version: string };
}

interface StatementChecks {
  readonly verify: StatementResult | null;
  readonly gate: StatementResult | null;
}

export interface StatementResult {
  readonly exit_code: number | null;
  readonly duration_ms: number;
  /** The full log, an artifact of the run. */
  readonly log: { readonly sha256: string; readonly bytes: number } | null;
}
