/** Pull requests of a forge, whatever it calls them. */
import type { RunPr } from "@triptych/contracts";

export type ForgePr = Omit<RunPr, "adopted">;

export interface Forge {
  /** What the credential may do; null where the forge does not say. */
  checkCredential(): Promise<{ readonly push: boolean | null; readonly openPr: boolean | null }>;
  /** All that were ever made of this branch of the repository itself, newest first. */
  findPrsByHead(branch: string): Promise<readonly ForgePr[]>;
  createPr(input: CreatePrInput): Promise<ForgePr>;
  getPr(number: number): Promise<ForgePr>;
  /** Null where the forge will not. */
  reopenPr(number: number): Promise<ForgePr | null>;
  /** What a new one carries besides its text. */
  decorate(
    number: number,
    with_: { readonly labels: readonly string[]; readonly reviewers: readonly string[] },
  ): Promise<void>;
}

/** When to come again, where the forge does not say it. */
export const FORGE_AGAIN_MS = 10_000;

export interface CreatePrInput {
  readonly title: string;
  readonly body: string;
  readonly branch: string;
  readonly base: string;
  readonly draft: boolean;
  readonly labels: readonly string[];
}

/** `unknown`: it may have been done all the same. `exists`: it was done before. */
export type ForgeFaultKind = "exists" | "unknown" | "refused";

export class ForgeFault extends Error {
  override readonly name = "ForgeFault";
  readonly kind: ForgeFaultKind;
  /** Null where none came. */
  readonly status: number | null;
  readonly retryAfterS: number | null;

  constructor(
    kind: ForgeFaultKind,
    message: string,
    response: { readonly status: number | null; readonly retryAfterS: number | null },
  ) {
    super(message);
    this.kind = kind;
    this.status = response.status;
    this.retryAfterS = response.retryAfterS;
  }
}
