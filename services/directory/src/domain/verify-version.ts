/**
 * Compares the rows of a version with the engine and with a plain scan: hash, each item byte for byte, and totals of
 * test queries.
 */
import { analyse } from "./analyse.ts";
import {
  NO_FILTERS,
  type Catalogue,
  type Filters,
  type ItemFields,
  type NormalQuery,
  type StoredItem,
  type TagLabel,
} from "./catalogue.ts";
import type { PublishedVersion } from "./published-versions.ts";
import { chordBound, squaredChord, unitVector, type UnitVector } from "./geo.ts";
import { hashContent, renderItem } from "./index/item-json.ts";
import { textsOf } from "./index/impact-scores.ts";
import { collectMeta } from "./index/meta.ts";

/** Items that yield queries: about 60 queries, each evaluated for every row. */
const PROBED_ITEMS = 12;
const FINDINGS_MAX = 20;
const RADIUS_KM = 25;

export interface Verification {
  readonly items: number;
  readonly questions: number;
  /** One sentence per difference, at most 20; empty when all agree. */
  readonly findings: readonly string[];
}

export interface Verified {
  readonly version: PublishedVersion;
  /** The version's rows by (type, slug); iterated twice. */
  readonly items: () => AsyncIterable<StoredItem>;
  readonly labels: readonly TagLabel[];
  readonly catalogue: Catalogue;
}

export async function verifyVersion({ version, items, labels, catalogue }: Verified): Promise<Verification> {
  const findings: string[] = [];
  const labelOf = new Map(labels.map(({ slug, label }) => [slug, label]));
  const content = hashContent();
  const meta = collectMeta(labelOf);
  const every = Math.max(1, Math.floor(version.items / PROBED_ITEMS));
  const questions: Question[] = [];
  let count = 0;
  for await (const { item } of items()) {
    const { json } = renderItem(item);
    content.add(json);
    meta.add(item);
    if (findings.length < FINDINGS_MAX) {
      const served = await catalogue.get(item.type, item.slug, "all");
      if (served === null) findings.push(`${item.type}/${item.slug} is in the store but not served`);
      else if (!json.equals(served))
        findings.push(`${item.type}/${item.slug} is served with different content than stored`);
    }
    if (count % every === 0) questions.push(...questionsOf(item));
    count++;
  }
  if (content.finish(meta.finish().tags) !== version.contentHash)
    findings.push("the rows do not match the published content hash");
  if (count !== version.items) findings.push(`the store contains ${count} items; ${version.items} were published`);

  for await (const { item } of items()) {
    const terms = new Set(
      textsOf(item, (slug) => labelOf.get(slug)).flatMap(({ text }) => analyse(text).map(({ term }) => term)),
    );
    const point = item.location === null ? null : unitVector(item.location.lat, item.location.lon);
    for (const question of questions) if (question.matches(item, terms, point)) question.found++;
  }
  for (const { filters, found } of questions) {
    const { total } = await catalogue.search({ ...EVERYTHING, ...filters });
    if (total !== found)
      findings.push(`query ${JSON.stringify(filters)}: a scan finds ${found} items, the engine ${total}`);
  }
  const { totals } = await catalogue.meta();
  if (totals.all !== count) findings.push(`the statistics count ${totals.all} items, a scan counts ${count}`);
  return { items: count, questions: questions.length, findings: findings.slice(0, FINDINGS_MAX) };
}

const EVERYTHING: NormalQuery = {
  ...NO_FILTERS,
  correct: false,
  strict: true,
  sort: "title",
  offset: 0,
  limit: 0,
  variant: "summary",
};

interface Question {
  readonly filters: Partial<Filters>;
  readonly matches: (item: ItemFields, terms: ReadonlySet<string>, point: UnitVector | null) => boolean;
  found: number;
}

function questionsOf(item: ItemFields): Question[] {
  const { type, departement, region, tags, location, title } = item;
  const questions: Omit<Question, "found">[] = [];
  if (departement !== null) {
    questions.push({
      filters: { types: [type], departements: [departement.code] },
      matches: (candidate) => candidate.type === type && candidate.departement?.code === departement.code,
    });
  }
  if (region !== null)
    questions.push({
      filters: { regions: [region.code] },
      matches: (candidate) => candidate.region?.code === region.code,
    });
  const [tag] = tags;
  if (tag !== undefined)
    questions.push({ filters: { tags: [[tag]] }, matches: (candidate) => candidate.tags.includes(tag) });

  // The full stop ends the last word, so that it is not a prefix.
  const words = analyse(title).filter(({ stop }) => !stop);
  if (words.length > 0) {
    const expectedTerms = words.map(({ term }) => term);
    questions.push({
      filters: { text: `${words.map(({ surface }) => surface).join(" ")}.` },
      matches: (_candidate, terms) => expectedTerms.every((term) => terms.has(term)),
    });
  }
  if (location !== null) {
    const center = unitVector(location.lat, location.lon);
    const bound = chordBound(RADIUS_KM);
    questions.push({
      filters: { near: { ...location, radiusKm: RADIUS_KM } },
      matches: (_candidate, _terms, point) => point !== null && squaredChord(center, point) <= bound,
    });
  }
  return questions.map((question) => ({ ...question, found: 0 }));
}
