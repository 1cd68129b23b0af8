/** What every service opens first, its log and its data folder, and how it stops. */
import { openTracing, type Tracing, type TracingConfig } from "@triptych/tracing";
import type { Logger } from "pino";
import { openDataFolder } from "./data-folder.ts";
import { createLogger } from "./logger.ts";

export interface ServiceOptions {
  readonly name: string;
  readonly config: TracingConfig & {
    readonly TRIPTYCH_DATA: string;
    readonly NODE_ENV: string;
    readonly LOG_LEVEL: string;
  };
}

/** Disposal closes everything opened so far, unless `running` was called. */
export interface StartingService extends AsyncDisposable {
  readonly logger: Logger;
  readonly dataFolder: string;
  readonly isProduction: boolean;
  readonly tracing: Tracing | null;
  /** Closed in reverse order. */
  readonly opened: AsyncDisposableStack;
  /** The last step of a start. `stop` closes everything, once. */
  running<Started extends StartedService>(started: Started): Started & RunningService;
}

export interface StartedService {
  readonly url: string;
  /** Address of a page to try first. */
  readonly tryFirst: string;
}

export interface RunningService extends StartedService {
  stop(): Promise<void>;
}

export async function openService({ name, config }: ServiceOptions): Promise<StartingService> {
  const isProduction = config.NODE_ENV === "production";
  const logger = createLogger({ service: name, level: config.LOG_LEVEL });
  const dataFolder = await openDataFolder({ path: config.TRIPTYCH_DATA, isProduction, logger });
  const opened = new AsyncDisposableStack();
  // Closed last: the spans of the final requests are sent.
  const tracing = opened.use(await openTracing(name, config));
  return {
    logger,
    dataFolder,
    isProduction,
    tracing,
    opened,
    running(started) {
      const parts = opened.move();
      let stopping: Promise<void> | null = null;
      return { ...started, stop: () => (stopping ??= parts.disposeAsync()) };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
