/** What a command is given of the process that it runs in. */
export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): unknown };
  /** Trunk of the engine; that of the release when absent. */
  readonly trunkBytes?: () => Promise<Uint8Array>;
}
