export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  /** Defaults to the bundled trunk. */
  readonly trunkBytes?: () => Promise<Uint8Array>;
}
