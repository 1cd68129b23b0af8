/** Minimal items that can be stored and indexed. */
import type { ItemType } from "@triptych/contracts";
import type { StoredItem } from "../../src/domain/catalogue.ts";

export interface Sketch {
  readonly id: string;
  readonly slug?: string;
  readonly type?: ItemType;
  readonly title?: string;
  readonly source?: string;
  /** Import time, unless the source has one. */
  readonly at?: number;
  readonly tags?: readonly string[];
}

export function storedItem({
  id,
  slug = id,
  type = "place",
  title = id,
  source = "a",
  at = 0,
  tags = [],
}: Sketch): StoredItem {
  const time = new Date(at).toISOString();
  const common = {
    slug,
    title,
    summary: `About ${title}.`,
    commune: null,
    departement: { code: "01", slug: "ain", nom: "Ain" },
    region: { code: "84", slug: "auvergne-rhone-alpes", nom: "Auvergne-Rhône-Alpes" },
    tags: [...tags],
    updated_at: time,
    location: { lat: 46.2, lon: 5.2 },
    description: null,
    address: null,
    website: null,
    email: null,
    phone: null,
    images: [],
    links: [],
    same_as: [],
    sources: [{ name: source, url: null, licence: null, retrieved_at: time }],
    licence: null,
    created_at: time,
    extra: {},
  };
  const byType = {
    actor: { ...common, type: "actor" as const, siret: null, legal_form: null, founded: null },
    place: { ...common, type: "place" as const, opening_hours: null, access: null, managed_by: null },
    article: { ...common, type: "article" as const, author: null, published_at: null, mentions: [] },
  };
  return { sourceName: source, sourceId: id, item: byType[type] };
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  return Array.fromAsync(items);
}

/** `type/slug` of a search result. */
export function idOf({ json }: { readonly json: Uint8Array }): string {
  const { type, slug } = JSON.parse(Buffer.from(json).toString()) as { readonly type: string; readonly slug: string };
  return `${type}/${slug}`;
}

export function slugOf(hit: { readonly json: Uint8Array }): string {
  return idOf(hit).split("/")[1];
}
