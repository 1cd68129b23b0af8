/** The services that this command line can start, each read when it is asked for. */
import type { Command } from "commander";

/** A service as it runs: where it is, what a newcomer should try, and how to stop it. */
export interface RunningService {
  readonly url: string;
  readonly tryFirst: string;
  /** Lines for whoever started it. */
  readonly notes?: readonly string[];
  /** May be called any number of times. */
  stop(): Promise<void>;
}

/** What a service may start beside itself. */
export interface CliContext {
  /** Program and first words of a worker. */
  readonly workerProgram: readonly string[];
  /** Of the dashboard as it was built; null where it could not be. */
  readonly dashboardFolder: Promise<string | null>;
  /** Whether its notes are shown on a terminal. */
  readonly hasTerminal: boolean;
}

export interface Service {
  readonly name: string;
  /** What is wrong with its environment, variable by variable; nothing is opened for it. */
  faultsOf(environment: NodeJS.ProcessEnv): readonly string[];
  start(environment: NodeJS.ProcessEnv, context: CliContext): Promise<RunningService>;
  /** Its words on the command line. */
  commands(): Command;
  /** Copies its store; throws when the other one is not empty. Answers what was copied: nothing where there is no store of it. */
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

const LOADERS = {
  directory: async (): Promise<Service> => ({ name: "directory", ...(await import("@triptych/directory")) }),
  rail: async (): Promise<Service> => ({ name: "rail", ...(await import("@triptych/rail")) }),
  router: async (): Promise<Service> => ({ name: "router", ...(await import("@triptych/router")) }),
  gateway: async (): Promise<Service> => ({ name: "gateway", ...(await import("@triptych/gateway")) }),
  panel: async (): Promise<Service> => ({ name: "panel", ...(await import("@triptych/panel")) }),
} as const;

export type ServiceName = keyof typeof LOADERS;

/** In the order in which they start: the gateway looks for rail and router at once, and the panel's worker begins to work when it is up. */
export const SERVICE_NAMES: readonly ServiceName[] = ["directory", "rail", "router", "gateway", "panel"];

/** Reads the programs of those services and of no other: most of the time that a command takes is reading. */
export function loadServices(names: readonly ServiceName[] = SERVICE_NAMES): Promise<readonly Service[]> {
  return Promise.all(names.map((name) => LOADERS[name]()));
}
