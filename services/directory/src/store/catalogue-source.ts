/**
 * Serves the published version and follows it: polls every two seconds and on notification, opens the new version next
 * to the old one, swaps, and closes the old one after its last reader.
 *
 * If a new version fails to open, the old one stays, the error is reported, and polling backs off. A snapshot found
 * damaged in use is deleted and rebuilt; the response that met the damage fails.
 */
import type { Catalogue, CatalogueSource, Hit } from "../domain/catalogue.ts";
import type { PublishedVersion, PublishedVersions } from "../domain/published-versions.ts";
import { SnapshotRefused } from "../domain/index/snapshot.ts";
import type { OpenCatalogue, ServingEngine, SharedIndex } from "./catalogue-engine.ts";

const POLL_MS = 2000;
const RETRY_DELAY_MAX_MS = 60_000;
/** In a version's first moments all pages are rendered again, so closing the old one, which is CPU-intensive, waits. */
const FIRST_MOMENTS_MS = 2000;
/**
 * A request calls its catalogue several times; between calls it is not counted as a reader. No request pauses this
 * long.
 */
const GRACE_MS = 30_000;

export interface WatchedSource extends CatalogueSource {
  /** Polls immediately; concurrent calls share one poll. Throws if the version cannot be opened. */
  refresh(): Promise<void>;
  state(): SourceState;
  /** What another thread needs to serve this version; opens it first if necessary. */
  shared(versionId: string): Promise<SharedIndex>;
  /** Reports a snapshot found damaged by another thread: it is deleted and rebuilt. */
  distrust(): void;
}

export interface SourceState {
  readonly version: string | null;
  /** Why the published version is not served, or null. */
  readonly problem: string | null;
}

export type SourceEvent =
  | { readonly what: "serving"; readonly version: string; readonly about: string; readonly tookMs: number }
  | { readonly what: "closed"; readonly version: string }
  | { readonly what: "damaged" | "not opened"; readonly version: string | null; readonly err: unknown };

export interface SourceOptions {
  readonly versions: PublishedVersions;
  readonly engine: ServingEngine;
  /** Subscribes to publications of other processes; returns the unsubscribe function. */
  readonly listen: (wake: () => void) => Promise<() => Promise<void>>;
  readonly report: (event: SourceEvent) => void;
  readonly now: () => number;
}

interface ServedVersion {
  readonly version: PublishedVersion;
  readonly open: OpenCatalogue;
  readonly catalogue: Catalogue;
  readonly use: Use;
  readonly since: number;
}

interface Use {
  readers: number;
  last: number;
}

export async function watchVersions({ listen, ...options }: SourceOptions): Promise<WatchedSource> {
  const { report, now } = options;
  const server = createVersionServer(options, () => wake());
  let polling: Promise<void> | null = null;
  let failures = 0;
  let notBefore = 0;
  let closing: Promise<void> | null = null;

  const refresh = () => {
    polling ??= server.poll().finally(() => (polling = null));
    return polling;
  };
  const wake = () => {
    if (closing !== null) return;
    refresh().then(
      () => (failures = 0),
      (error: unknown) => {
        failures++;
        notBefore = now() + Math.min(RETRY_DELAY_MAX_MS, POLL_MS * 2 ** failures);
        report({ what: "not opened", version: server.state().version, err: error });
      },
    );
  };
  const closeUnused = async () => {
    // A running poll may be about to swap the version.
    await polling?.catch(() => {});
    await server.closeUnused();
  };

  await refresh();
  const stopListening = await listen(wake);
  const timer = setInterval(() => {
    if (now() >= notBefore) wake();
    void closeUnused();
  }, POLL_MS);
  timer.unref();

  return {
    current: () => server.current()?.catalogue ?? null,
    state: server.state,
    refresh: async () => {
      await refresh();
      await closeUnused();
    },
    async shared(versionId) {
      if (server.current()?.version.id !== versionId) await refresh();
      const served = server.current();
      if (served?.version.id !== versionId || served.open.shared === null)
        throw new Error(`version ${versionId} is no longer served here`);
      return served.open.shared;
    },
    distrust() {
      server.distrust();
      wake();
    },
    close() {
      closing ??= (async () => {
        clearInterval(timer);
        await stopListening();
        await polling?.catch(() => {});
        await server.close();
      })();
      return closing;
    },
  };
}

/** The served version, and former ones that still have readers. */
function createVersionServer({ versions, engine, report, now }: Omit<SourceOptions, "listen">, onDamaged: () => void) {
  let served: ServedVersion | null = null;
  const retired = new Set<ServedVersion>();
  let problem: string | null = null;
  let distrusted = false;

  const serve = (version: PublishedVersion, open: OpenCatalogue): ServedVersion => {
    const since = now();
    const use = { readers: 0, last: since };
    const onDamage = (error: SnapshotRefused) => {
      if (served?.open !== open || distrusted) return;
      distrusted = true;
      report({ what: "damaged", version: version.id, err: error });
      onDamaged();
    };
    return { version, open, use, since, catalogue: counted(open.catalogue, use, { now, onDamage }) };
  };
  return {
    current: () => served,
    state: (): SourceState => ({ version: served?.version.id ?? null, problem }),
    distrust() {
      distrusted = true;
    },

    async poll(): Promise<void> {
      const version = await versions.published();
      if (version === null || (version.id === served?.version.id && !distrusted)) return;
      try {
        const began = now();
        if (distrusted) await engine.distrust(version);
        const next = serve(version, await engine.open(version));
        distrusted = false;
        problem = null;
        if (served !== null) retired.add(served);
        served = next;
        report({ what: "serving", version: version.id, about: next.open.about, tookMs: now() - began });
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        throw error;
      }
      await engine.cleanUp(version);
    },

    async closeUnused(): Promise<void> {
      const isFresh = served !== null && now() - served.since < FIRST_MOMENTS_MS;
      // With faster publications, old versions must not accumulate.
      const grace = isFresh ? GRACE_MS * 2 : GRACE_MS;
      for (const old of retired) {
        if (old.use.readers > 0 || now() - old.use.last < grace) continue;
        retired.delete(old);
        await old.open.close();
        report({ what: "closed", version: old.version.id });
      }
    },

    async close(): Promise<void> {
      for (const entry of [...retired, ...(served === null ? [] : [served])]) await entry.open.close();
      retired.clear();
      served = null;
    },
  };
}

/** Counts the catalogue's readers, so that it is closed after the last one. */
function counted(
  catalogue: Catalogue,
  use: Use,
  { now, onDamage }: { now: () => number; onDamage: (error: SnapshotRefused) => void },
): Catalogue {
  const enter = () => {
    use.readers++;
  };
  const leave = () => {
    use.readers--;
    use.last = now();
  };
  const during = async <T>(work: () => Promise<T>): Promise<T> => {
    enter();
    try {
      return await work();
    } catch (error) {
      if (error instanceof SnapshotRefused) onDamage(error);
      throw error;
    } finally {
      leave();
    }
  };
  return {
    version: () => catalogue.version(),
    search: (query) => during(() => catalogue.search(query)),
    get: (type, slug, variant) => during(() => catalogue.get(type, slug, variant)),
    getAll: (ids, variant) => during(() => catalogue.getAll(ids, variant)),
    findCommunes: (name) => during(() => catalogue.findCommunes(name)),
    nearestSlugs: (type, slug, count) => during(() => catalogue.nearestSlugs(type, slug, count)),
    facets: (filters, names) => during(() => catalogue.facets(filters, names)),
    suggest: (query) => during(() => catalogue.suggest(query)),
    meta: () => during(() => catalogue.meta()),
    async *stream(query): AsyncGenerator<Hit> {
      enter();
      try {
        yield* catalogue.stream(query);
      } catch (error) {
        if (error instanceof SnapshotRefused) onDamage(error);
        throw error;
      } finally {
        leave();
      }
    },
  };
}
