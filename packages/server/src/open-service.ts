/** Opens what every service needs first (log, data folder) and handles its shutdown. */
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
  /** Resources of the service, closed in reverse order. */
  readonly opened: AsyncDisposableStack;
  /** The last step of startup. `stop` of the result closes everything once. */
  running<Started extends StartedService>(started: Started): Started & RunningService;
}

export interface StartedService {
  readonly url: string;
  /** Address to try first. */
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
  // Opened first and closed last, so that the spans of the final requests are sent.
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
