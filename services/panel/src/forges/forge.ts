import type { RunPr } from "@triptych/contracts";

export type ForgePr = Omit<RunPr, "adopted">;

export interface Forge {
  /** Permissions of the credential; null if the forge does not report them. */
  checkCredential(): Promise<{ readonly push: boolean | null; readonly openPr: boolean | null }>;
  /** All pull requests from this branch of the repository itself, newest first. */
  findPrsByHead(branch: string): Promise<readonly ForgePr[]>;
  createPr(input: CreatePrInput): Promise<ForgePr>;
  getPr(number: number): Promise<ForgePr>;
  /** Null if the forge refuses. */
  reopenPr(number: number): Promise<ForgePr | null>;
  decorate(
    number: number,
    with_: {
      readonly labels: readonly string[];
      readonly reviewers: readonly string[];
      readonly assignees: readonly string[];
    },
  ): Promise<void>;
}

/** Retry delay where the forge sends none. */
export const FORGE_AGAIN_MS = 10_000;

export interface CreatePrInput {
  readonly title: string;
  readonly body: string;
  readonly branch: string;
  readonly base: string;
  readonly draft: boolean;
  readonly labels: readonly string[];
}

/** `unknown`: the request may have succeeded. `exists`: it already exists. */
export type ForgeErrorKind = "exists" | "unknown" | "refused";

export class ForgeError extends Error {
  override readonly name = "ForgeError";
  readonly kind: ForgeErrorKind;
  readonly status: number | null;
  readonly retryAfterS: number | null;

  constructor(
    kind: ForgeErrorKind,
    message: string,
    response: { readonly status: number | null; readonly retryAfterS: number | null },
  ) {
    super(message);
    this.kind = kind;
    this.status = response.status;
    this.retryAfterS = response.retryAfterS;
  }
}
