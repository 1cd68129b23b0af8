/** The services of this command line, each imported on demand. */
import type { StoredService } from "@triptych/store-operations";
import type { Command } from "commander";

/** A running service: its address, a command to try first, and its stop function. */
export interface RunningService {
  readonly url: string;
  readonly tryFirst: string;
  /** Lines printed for the user at startup. */
  readonly notes?: readonly string[];
  /** Idempotent. */
  stop(): Promise<void>;
}

interface ServiceAccess {
  readonly url: string;
  readonly secret?: string;
}

/** Reads the profile of this name, or the current one. */
export type ConnectOwn = (
  profile: string | undefined,
) => Readonly<Record<"gateway" | "panel" | "router", ServiceAccess>>;

/** Programs and built pages that services may use. */
export interface CliContext {
  /** Program and first arguments of a worker. */
  readonly workerProgram: readonly string[];
  /** Folder of the built dashboard; null if the build failed. */
  readonly dashboardFolder: Promise<string | null>;
  /** Folder of the directory's built map; null if the build failed. */
  readonly mapFolder: Promise<string | null>;
  readonly playgroundFolder: Promise<string | null>;
  /** Folder of the rail's built wallet pages; null if the build failed. */
  readonly walletFolder: Promise<string | null>;
  /** Folder of the built request viewer, which every service serves; null if the build failed. */
  readonly viewerFolder: Promise<string | null>;
  /** Path of the packed worker, which the panel serves. */
  readonly workerPack: () => Promise<string>;
  /** Whether `notes` are printed on a terminal. */
  readonly hasTerminal: boolean;
}

export interface Service extends StoredService {
  /** Invalid environment variables. Opens no store. */
  issuesOf(environment: NodeJS.ProcessEnv): readonly string[];
  /** Why the service cannot start although the environment is valid; null if it can. */
  refusalOf?(environment: NodeJS.ProcessEnv): string | null;
  start(environment: NodeJS.ProcessEnv, context: CliContext): Promise<RunningService>;
  /** Its commands. `connect` finds the addresses and credentials of the caller's services. */
  commands(connect: ConnectOwn): Command;
  /**
   * Copies the store; throws if the target is not empty. Returns the copied tables, or none if the source has no store.
   */
  copyStore(copy: StoreCopy): Promise<readonly { readonly table: string; readonly rows: number }[]>;
  /** The committed OpenAPI document: JSON text with the default address. */
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

/**
 * In start order: the gateway connects to rail and router immediately, and the panel's worker starts once the panel is
 * up.
 */
export const SERVICE_NAMES: readonly ServiceName[] = ["directory", "rail", "router", "gateway", "panel"];

/** Imports only these services: a command spends most of its time loading modules. */
export function loadServices(names: readonly ServiceName[] = SERVICE_NAMES): Promise<readonly Service[]> {
  return Promise.all(names.map((name) => LOADERS[name]()));
}
