/** What each word of `triptych gate` is: asked about a folder, it answers with an exit code and a sentence. */

export interface GateRequest {
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What it found, in one sentence. */
export interface GateResult {
  readonly code: 0 | 1 | 2;
  readonly says: string;
}

export interface GateDefinition {
  readonly usage: string;
  readonly about: string;
  /** Null where the words make no sense. */
  ask(request: GateRequest): Promise<GateResult | null>;
}
