/**
 * Assigns slugs to imported rows. A published `(source, ID)` pair keeps its slug; a new row gets its title, for a place
 * title and commune, then a number. The store is queried for many rows at a time, but slugs are assigned in row order,
 * so the result does not depend on batch size.
 */
import type { ItemType } from "@triptych/contracts";
import { createStringInterner } from "../string-interner.ts";
import { growingUint32 } from "../index/growable-array.ts";
import type { Addresses, Owner } from "../published-versions.ts";
import { slugify, withSuffix } from "../slug.ts";

export const EMPTY_SLUG_STORE: Addresses = { slugsOf: async () => new Map(), ownersOf: async () => new Map() };

export interface SlugRequest extends Owner {
  readonly type: ItemType;
  readonly title: string;
  readonly commune: string | null;
}

export interface AssignedSlug {
  readonly slug: string;
  readonly repeated: boolean;
  /** The unnumbered slug, when a number was necessary; else null. */
  readonly requested: string | null;
}

export interface SlugRegistry {
  give(requests: readonly SlugRequest[]): Promise<AssignedSlug[]>;
}

/** Numbers checked per query when a title is taken. */
const NUMBERS = 16;

/** Candidate slugs in order of preference; a number is appended to the last one. */
interface Candidates {
  readonly request: SlugRequest;
  readonly published: string | null;
  readonly base: string;
  readonly local: string;
}

type Owners = ReadonlyMap<string, Owner>;

export function createSlugRegistry(store: Addresses): SlugRegistry {
  const assigned = createAssignedAddresses();
  const numbers = lastNumbers();

  const isFree = (slug: string, { type, sourceName, sourceId }: SlugRequest, owners: Owners): boolean => {
    if (assigned.has(`${type}/${slug}`)) return false;
    const owner = owners.get(`${type}/${slug}`);
    return owner === undefined || (owner.sourceName === sourceName && owner.sourceId === sourceId);
  };
  /** Remembers the last number per slug: a thousand equal titles must not try a thousand numbers each. */
  const numbered = async (base: string, request: SlugRequest): Promise<string> => {
    const key = `${request.type}/${base}`;
    for (let first = numbers.of(key) + 1; ; first += NUMBERS) {
      const tries = Array.from({ length: NUMBERS }, (_, index) => first + index);
      const slugs = tries.map((number) => withSuffix(base, String(number)));
      const owners = keyed(request.type, await store.ownersOf(request.type, slugs));
      const index = slugs.findIndex((slug) => isFree(slug, request, owners));
      if (index < 0) continue;
      numbers.set(key, tries[index]);
      return slugs[index];
    }
  };
  const choose = async (
    { request, published, base, local }: Candidates,
    owners: Owners,
  ): Promise<Omit<AssignedSlug, "repeated">> => {
    if (published !== null && isFree(published, request, owners)) return { slug: published, requested: null };
    if (isFree(base, request, owners)) return { slug: base, requested: null };
    if (isFree(local, request, owners)) return { slug: local, requested: null };
    return { slug: await numbered(local, request), requested: base };
  };

  return {
    async give(requests) {
      const entries = requests.map((request): PairedRequest => ({
        request,
        pair: `${request.sourceName}\0${request.sourceId}`,
      }));
      const unknown = entries.filter((entry) => slugBefore(assigned, entry) === null);
      const candidates = await candidatesOf(unknown, store);
      const owners = await ownersOf([...candidates.values()], store);
      const slugs: AssignedSlug[] = [];
      for (const entry of entries) {
        const repeated = assigned.to(entry.pair) !== null;
        // Checked again: an earlier row of this batch may be of the same pair.
        const before = repeated ? slugBefore(assigned, entry) : null;
        const candidate = candidates.get(entry.request);
        if (before !== null || candidate === undefined) {
          slugs.push({ slug: before ?? "", repeated, requested: null });
          continue;
        }
        const chosen = await choose(candidate, owners);
        const address = `${entry.request.type}/${chosen.slug}`;
        assigned.give(entry.pair, address);
        slugs.push({ ...chosen, repeated });
      }
      return slugs;
    },
  };
}

interface PairedRequest {
  readonly request: SlugRequest;
  readonly pair: string;
}

/** The pair's slug in this import, unless that row had another type. */
function slugBefore(assigned: AssignedAddresses, { request, pair }: PairedRequest): string | null {
  const before = assigned.to(pair);
  if (before === null) return null;
  const prefix = `${request.type}/`;
  return before.startsWith(prefix) ? before.slice(prefix.length) : null;
}

/** The slugs of this import: about a hundred bytes per row, outside the heap. */
interface AssignedAddresses {
  /** Whether any pair has had this `type/slug`; it stays reserved. */
  has(address: string): boolean;
  to(pair: string): string | null;
  give(pair: string, address: string): void;
}

function createAssignedAddresses(): AssignedAddresses {
  const [pairs, addresses, addressOf] = [createStringInterner(), createStringInterner(), growingUint32()];
  return {
    has: (address) => addresses.find(address) >= 0,
    to(pair) {
      const number = pairs.find(pair);
      return number < 0 ? null : addresses.textAt(addressOf.at(number));
    },
    give(pair, address) {
      const number = pairs.numberOf(pair);
      const addressNumber = addresses.numberOf(address);
      if (number < addressOf.length) addressOf.set(number, addressNumber);
      else addressOf.push(addressNumber);
    },
  };
}

function lastNumbers() {
  const [bases, numbers] = [createStringInterner(), growingUint32()];
  return {
    of(base: string): number {
      const baseNumber = bases.find(base);
      return baseNumber < 0 ? 1 : numbers.at(baseNumber);
    },
    set(base: string, number: number): void {
      const baseNumber = bases.numberOf(base);
      if (baseNumber < numbers.length) numbers.set(baseNumber, number);
      else numbers.push(number);
    },
  };
}

async function candidatesOf(
  entries: readonly PairedRequest[],
  store: Addresses,
): Promise<Map<SlugRequest, Candidates>> {
  const candidates = new Map<SlugRequest, Candidates>();
  for (const [sourceName, rows] of Map.groupBy(entries, ({ request }) => request.sourceName)) {
    const published = await store.slugsOf(sourceName, [...new Set(rows.map(({ request }) => request.sourceId))]);
    for (const { request } of rows) candidates.set(request, candidatesFor(request, published.get(request.sourceId)));
  }
  return candidates;
}

function candidatesFor(request: SlugRequest, published: { type: ItemType; slug: string } | undefined): Candidates {
  const base = slugify(request.title) || slugify(request.sourceId) || request.type;
  const town = request.type === "place" ? slugify(request.commune ?? "") : "";
  const alreadyLocal = town === "" || base === town || base.endsWith(`-${town}`);
  return {
    request,
    published: published?.type === request.type ? published.slug : null,
    base,
    local: alreadyLocal ? base : withSuffix(base, town),
  };
}

async function ownersOf(candidates: readonly Candidates[], store: Addresses): Promise<Owners> {
  const owners = new Map<string, Owner>();
  for (const [type, rows] of Map.groupBy(candidates, ({ request }) => request.type)) {
    const slugs = new Set(
      rows.flatMap(({ published, base, local }) => (published === null ? [base, local] : [published, base, local])),
    );
    for (const [slug, owner] of keyed(type, await store.ownersOf(type, [...slugs]))) owners.set(slug, owner);
  }
  return owners;
}

function keyed(type: ItemType, owners: ReadonlyMap<string, Owner>): Owners {
  return new Map(Array.from(owners, ([slug, owner]) => [`${type}/${slug}`, owner]));
}
