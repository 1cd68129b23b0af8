import type { Readable } from "node:stream";
import type { ResultCode } from "@triptych/contracts";
import type { CheckTokens, RunTokens, RunTokenScope } from "./worker-tokens.ts";
import type { AiPolicyRecord, RunRecord, RunFacts } from "./records.ts";

export interface DeliveryServices {
  readonly tokens: RunTokens;
  readonly checkTokens: CheckTokens;
  readonly delivery: Delivery;
  readonly relay: GitRelay;
  readonly uploads: Uploads;
  readonly prs: Prs;
}

export interface Prs {
  /** One pull request for concurrent calls. Throws a Refusal. */
  open(owner: string, runId: string, input: OpenPrInput): Promise<OpenedPr>;
}

export interface OpenPrInput {
  readonly reopen: boolean;
  readonly draft: boolean | undefined;
}

export interface OpenedPr {
  readonly run: RunRecord;
  readonly isNew: boolean;
}

export interface GitRelay {
  /** Throws a Refusal if the repository cannot be fetched. */
  serve(owner: string, source: GitSource, request: GitRequest): Promise<GitAnswer>;
}

export interface GitSource {
  readonly repoId: string;
  readonly baseBranch: string | null;
  /** A second branch, which a follow-up merges. */
  readonly merge?: string | null;
  /** A follow-up starts at a head that may be younger than a shared fetch. */
  readonly isFollowUp?: boolean;
}

export interface GitRequest {
  readonly method: "GET" | "POST";
  readonly path: "/info/refs" | "/git-upload-pack";
  readonly query: string;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly body: Buffer | null;
}

export interface GitAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Closing it ends the git process. */
  readonly body: Readable;
}

export interface Uploads {
  /** `sha256` is the hash that the sender claims. */
  bundle(scope: RunTokenScope, sent: UploadInput): Promise<Received>;
  artifact(scope: RunTokenScope, sent: UploadInput): Promise<Received>;
  /** The complete diff of a run as text; null if there is none. */
  diff(owner: string, run: RunRecord): Promise<Readable | null>;
  openArtifact(owner: string, runId: string, sha256: string): Promise<OpenedArtifact | null>;
}

export interface OpenedArtifact {
  /** Hash of these bytes; it differs from the name where secrets were redacted. */
  readonly sha256: string;
  readonly body: Readable;
}

export interface UploadInput {
  readonly sha256: string;
  readonly source: Readable;
}

export type Received =
  | { readonly kind: "stored"; readonly sha256: string; readonly bytes: number }
  | { readonly kind: "too_large" | "other_digest" | "broken_off" | "superseded" }
  /** Not a valid bundle of this run; the run has failed. */
  | { readonly kind: "invalid"; readonly message: string };

/** The uploaded bundle is checked before the run may move to pushing. The push itself is an effect of the state. */
export interface Delivery {
  /** Checks the uploaded bundle of this run's epoch. Rejects only on an internal error. */
  judge(owner: string, run: RunRecord, report: HandOver): Promise<Judgement>;
}

export interface HandOver {
  readonly headSha: string;
}

export type Judgement =
  | {
      readonly kind: "accepted";
      readonly facts: Pick<RunFacts, "headSha" | "bundle" | "diff" | "parents" | "summaries" | "warnings" | "aiPolicy">;
    }
  | {
      readonly kind: "refused";
      readonly code: ResultCode;
      readonly message: string;
      /** Set if it is the reason for the refusal. */
      readonly aiPolicy?: AiPolicyRecord;
    }
  /** The repository is unreachable and its mirror is insufficient; retry later. */
  | { readonly kind: "unreachable"; readonly message: string };
