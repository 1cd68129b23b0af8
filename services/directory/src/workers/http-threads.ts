/**
 * Several threads serve HTTP on one port; the kernel distributes connections. The main thread runs the singletons
 * (meter, index, current version) and serves no requests, so that nothing queues behind an admission.
 *
 * When one thread fails, the process exits, as with a single thread.
 */
import { Worker } from "node:worker_threads";
import type { Meter } from "@triptych/usage-metering";
import { aggregateMetrics } from "@triptych/server";
import type { WriteProbe } from "@triptych/storage";
import type { WatchedSource } from "../store/catalogue-source.ts";
import { meterRegistry } from "../metrics.ts";
import { meterVerbs } from "./remote-meter.ts";
import { connectThread, type ThreadCalls } from "./thread-calls.ts";

export interface HttpThreadsOptions {
  readonly count: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly port: number;
  readonly mapFolder: string | null;
  readonly viewerFolder: string | null;
  readonly meter: Meter;
  readonly source: WatchedSource;
  /** The threads open the store for reading only. */
  readonly writeError: WriteProbe;
}

export interface HttpThreads {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startHttpThreads(options: HttpThreadsOptions): Promise<HttpThreads> {
  const threads: { readonly calls: ThreadCalls; readonly ended: Promise<void> }[] = [];
  const ofMeter = meterRegistry(() => options.meter.lag());
  const metrics = async () => {
    const ofThreads = threads.map(({ calls }) => calls.call("metrics"));
    return aggregateMetrics(await Promise.all([...ofThreads, ofMeter.getMetricsAsJSON()]));
  };
  let stopping: Promise<void> | null = null;
  const stop = () =>
    (stopping ??= (async () => {
      await Promise.all(threads.map(({ calls, ended }) => calls.call("stop").then(() => ended)));
    })());

  let { port } = options;
  let url = "";
  try {
    for (let number = 0; number < options.count; number++) {
      const thread = startThread(options, { metrics });
      threads.push(thread);
      // With port 0 the first thread picks the port; the others share it.
      const listening = (await thread.calls.call("listen", port)) as { readonly url: string; readonly port: number };
      ({ port, url } = listening);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

function startThread(
  { environment, mapFolder, viewerFolder, meter, source, writeError }: HttpThreadsOptions,
  verbs: { metrics: () => Promise<string> },
) {
  const worker = new Worker(new URL("./http-thread.ts", import.meta.url), {
    workerData: { environment, mapFolder, viewerFolder },
  });
  worker.on("error", (error) => {
    throw error;
  });
  const ended = new Promise<void>((resolve) => {
    worker.once("exit", () => resolve());
  });
  const calls = connectThread(worker, {
    ...meterVerbs(meter),
    ...verbs,
    snapshot: (versionId: string) => source.shared(versionId),
    distrust: () => source.distrust(),
    writeError,
  });
  return { calls, ended };
}
