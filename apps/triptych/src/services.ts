/** The services that this command line can start, in the order in which they start. */
import * as directory from "@triptych/directory";
import * as rail from "@triptych/rail";
import type { Command } from "commander";

/** A service as it runs: where it is, what a newcomer should try, and how to stop it. */
export interface RunningService {
  readonly url: string;
  readonly tryFirst: string;
  /** May be called any number of times. */
  stop(): Promise<void>;
}

export interface Service {
  readonly name: string;
  start(environment: NodeJS.ProcessEnv): Promise<RunningService>;
  /** Its words on the command line. */
  commands(): Command;
  /** Copies its store; throws when the other one is not empty. Answers what was copied. */
  copyStore(copy: StoreCopy): Promise<readonly { readonly table: string; readonly rows: number }[]>;
  /** Its OpenAPI document as committed: JSON text with the default address. */
  openApi(): string;
}

export interface StoreCopy {
  /** A data folder, or the address of a PostgreSQL database. */
  readonly from: string;
  readonly to: string;
  readonly onProgress: (progress: { readonly table: string; readonly copied: number; readonly total: number }) => void;
}

export const SERVICES: readonly Service[] = [
  { name: "directory", ...directory },
  { name: "rail", ...rail },
];
