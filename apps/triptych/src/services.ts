/** The services of this command line, each imported on demand. */
import type { StoredService } from "@triptych/store-operations";
import type { Command } from "commander";

/** A running service: its address, a first command to try, and its stop function. */
export interface RunningService {
  readonly url: string;
  readonly tryFirst: string;
  /** Lines for the user at start. */
  readonly notes?: readonly string[];
  /** Idempotent. */
  stop(): Promise<void>;
}

interface ServiceAccess {
  readonly url: string;
  readonly secret?: string;
}

/** By the name of a profile, or the current one. */
export type ConnectOwn = (
  profile: string | undefined,
) => Readonly<Record<"gateway" | "panel" | "router", ServiceAccess>>;

/** Programs that a service may start. */
export interface CliContext {
  /** Program and first arguments of a worker. */
  readonly workerProgram: readonly string[];
  /** The folder of the built dashboard; null where the build failed. */
  readonly dashboardFolder: Promise<string | null>;
  /** The folder of the built map of the directory; null where the build failed. */
  readonly mapFolder: Promise<string | null>;
  readonly playgroundFolder: Promise<string | null>;
  /** The folder of the built wallet pages of the rail; null where the build failed. */
  readonly walletFolder: Promise<string | null>;
  /** The folder of the built viewer of requests, which every service serves; null where the build failed. */
  readonly viewerFolder: Promise<string | null>;
  /** Path of the packed worker, which the panel serves. */
  readonly workerPack: () => Promise<string>;
  /** Whether its notes appear on a terminal. */
  readonly hasTerminal: boolean;
}

export interface Service extends StoredService {
  /** Errors of its environment, by variable; opens nothing. */
  issuesOf(environment: NodeJS.ProcessEnv): readonly string[];
  /** Why a valid environment does not allow a start; null where it does. */
  refusalOf?(environment: NodeJS.ProcessEnv): string | null;
  start(environment: NodeJS.ProcessEnv, context: CliContext): Promise<RunningService>;
  /** Its commands; `connect` finds addresses and credentials of the caller's services. */
  commands(connect: ConnectOwn): Command;
  /** Copies its store; throws when the target is not empty. Returns what it copied: nothing where the source has no store. */
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

/** In start order: the gateway connects to rail and router immediately, and the panel's worker starts when the panel is up. */
export const SERVICE_NAMES: readonly ServiceName[] = ["directory", "rail", "router", "gateway", "panel"];

/** Imports only those services: most of a command's time is module loading. */
export function loadServices(names: readonly ServiceName[] = SERVICE_NAMES): Promise<readonly Service[]> {
  return Promise.all(names.map((name) => LOADERS[name]()));
}
