/** The interface of each `triptych gate` subcommand: checks a folder, returns an exit code and a message. */

export interface GateRequest {
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface GateResult {
  readonly code: 0 | 1 | 2;
  readonly message: string;
}

export interface GateDefinition {
  readonly usage: string;
  readonly about: string;
  /** Null where the arguments are invalid. */
  ask(request: GateRequest): Promise<GateResult | null>;
}
