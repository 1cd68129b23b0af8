/**
 * The bundled experts and the owner's live heads, cached while the owner's revision is unchanged. The revision is
 * checked at most once a second, but immediately after an unknown name or a local change. Changes by other routers take
 * effect within a second.
 */
import type { RouteHead } from "../engine.ts";
import { isUnusable, type Expert, type Experts, type Found } from "../experts.ts";
import type { HeadRecord } from "./head.ts";
import { isUsable } from "./head-states.ts";
import type { HeadFiles, HeadStore } from "./head-store.ts";

export interface OwnedExpertsParts {
  readonly shipped: Experts;
  readonly store: Pick<HeadStore, "list" | "revision">;
  readonly files: Pick<HeadFiles, "get">;
  /** Hex SHA-256 of the engine's trunk. */
  readonly trunk: string;
  readonly open: (bytes: Uint8Array) => RouteHead;
  readonly now: () => number;
  readonly onError: (what: string, error: unknown) => void;
}

export interface OwnedExperts extends Experts {
  /** Invalidates the owner's cache after a change. */
  forget(owner: string): void;
}

interface Catalogue {
  readonly revision: number;
  readonly heads: readonly HeadRecord[];
  readonly live: readonly Expert[];
  readonly checkedAt: number;
}

const FRESH_MS = 1000;
/** Size of the cache for all owners; a head takes at most half a megabyte. */
const OPENED_MOST = 256;

export function createOwnedExperts(parts: OwnedExpertsParts): OwnedExperts {
  const { shipped, trunk } = parts;
  const expertOf = createExpertCache(parts);
  const catalogues = createCatalogues(parts, expertOf);

  async function findIn(catalogue: Catalogue, name: string): Promise<Found> {
    const live = catalogue.live.find((expert) => expert.name === name || expert.headId === name);
    if (live !== undefined) return live;
    const named = catalogue.heads.filter((head) => head.name === name || head.id === name);
    const head = named.find(({ id, state }) => id === name || state === "live") ?? named.at(-1);
    if (head === undefined) return null;
    if (head.made !== null && head.made.trunk !== trunk) return { unusable: "trunk_mismatch", state: head.state };
    const expert = head.id === name && isUsable(head.state) ? await expertOf(head) : null;
    return expert ?? { unusable: "head_not_ready", state: head.state };
  }

  return {
    async find(owner, name) {
      const bundled = await shipped.find(owner, name);
      if (bundled !== null) return bundled;
      const found = await findIn(await catalogues.find(owner), name);
      // Checks the store before reporting a name as unknown or not ready.
      return found !== null && !isUnusable(found) ? found : await findIn(await catalogues.check(owner), name);
    },
    async inPlay(owner) {
      const { live } = await catalogues.find(owner);
      return [...(await shipped.inPlay(owner)), ...live.filter(({ auto }) => auto)];
    },
    async list(owner) {
      const { live } = await catalogues.find(owner);
      return [...(await shipped.list(owner)), ...live];
    },
    forget: catalogues.forget,
  };
}

type ExpertOf = (head: HeadRecord) => Promise<Expert | null>;

/** Null for another trunk or a damaged file, so that one bad head does not disable the others. */
function createExpertCache({ files, trunk, open, onError }: OwnedExpertsParts): ExpertOf {
  const opened = new Map<string, RouteHead>();

  async function headOf(headId: string, sha256: string): Promise<RouteHead> {
    const key = `${headId} ${sha256}`;
    let head = opened.get(key);
    if (head === undefined) {
      const bytes = await files.get({ headId, sha256 });
      if (bytes === null) throw new Error("The file is missing.");
      head = open(bytes);
    }
    opened.delete(key);
    opened.set(key, head);
    const [oldest] = opened.keys();
    if (opened.size > OPENED_MOST && oldest !== undefined) opened.delete(oldest);
    return head;
  }

  return async (head) => {
    if (head.made === null || head.made.trunk !== trunk) return null;
    try {
      return toExpert(head, await headOf(head.id, head.made.sha256));
    } catch (error) {
      onError(`loading the file of head ${head.id} failed`, error);
      return null;
    }
  };
}

function createCatalogues({ store, now }: OwnedExpertsParts, expertOf: ExpertOf) {
  const catalogues = new Map<string, Catalogue>();
  const reading = new Map<string, Promise<Catalogue>>();
  /** Counts invalidations: a load that started before an invalidation is not fresh. */
  const changes = new Map<string, number>();

  /** Concurrent callers share one check, unless something changed after it started. */
  function check(owner: string): Promise<Catalogue> {
    const running = reading.get(owner);
    if (running !== undefined) return running;
    const looking: Promise<Catalogue> = load(owner).finally(() => {
      if (reading.get(owner) === looking) reading.delete(owner);
    });
    reading.set(owner, looking);
    return looking;
  }

  /** Reads the revision before the heads, so that the next check finds a change in between. */
  async function load(owner: string): Promise<Catalogue> {
    const change = changes.get(owner);
    const checkedAt = now();
    const cached = catalogues.get(owner);
    const revision = await store.revision(owner);
    const heads = cached?.revision === revision ? null : revision === 0 ? [] : await store.list(owner);
    const read =
      cached !== undefined && heads === null
        ? { ...cached, checkedAt }
        : { revision, checkedAt, heads: heads ?? [], live: await liveOf(heads ?? [], expertOf) };
    if (changes.get(owner) === change) save(owner, read);
    return read;
  }

  function save(owner: string, read: Catalogue): void {
    catalogues.delete(owner);
    catalogues.set(owner, read);
    let count = 0;
    for (const { live } of catalogues.values()) count += 1 + live.length;
    for (const [oldest, { live }] of catalogues) {
      if (count <= OPENED_MOST || oldest === owner) break;
      catalogues.delete(oldest);
      changes.delete(oldest);
      count -= 1 + live.length;
    }
  }

  return {
    check,
    async find(owner: string): Promise<Catalogue> {
      const cached = catalogues.get(owner);
      return cached !== undefined && now() - cached.checkedAt < FRESH_MS ? cached : await check(owner);
    },
    forget(owner: string): void {
      changes.set(owner, (changes.get(owner) ?? 0) + 1);
      reading.delete(owner);
      const cached = catalogues.get(owner);
      if (cached !== undefined) catalogues.set(owner, { ...cached, checkedAt: -Infinity });
    },
  };
}

/** The live versions with their shadows. */
async function liveOf(heads: readonly HeadRecord[], expertOf: ExpertOf): Promise<readonly Expert[]> {
  const live: Expert[] = [];
  for (const head of heads) {
    const expert = head.state === "live" ? await expertOf(head) : null;
    if (expert === null) continue;
    const shadows: Expert[] = [];
    for (const other of heads)
      if (other.state === "shadow" && other.name === head.name) {
        const shadow = await expertOf(other);
        if (shadow !== null) shadows.push(shadow);
      }
    live.push({ ...expert, shadows });
  }
  return live;
}

function toExpert({ id, name, version, settings, made }: HeadRecord, head: RouteHead): Expert {
  const { accuracy, ece } = made?.report ?? {};
  return {
    name,
    kind: "custom",
    headId: id,
    version,
    head,
    languages: settings.languages,
    auto: settings.auto,
    domain: settings.domain,
    gate: settings.gate,
    floor: settings.minConf,
    accuracy: typeof accuracy === "number" ? accuracy : null,
    ece: typeof ece === "number" ? ece : null,
    shadows: [],
  };
}
