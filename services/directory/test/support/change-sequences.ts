/**
 * Random publications: merges, replacements, removals, rollbacks, changed slugs and types, reused addresses. Copies of
 * several clients follow them through the public API, by version or by time.
 */
import assert from "node:assert/strict";
import { ITEM_TYPES, type ItemType } from "@triptych/contracts";
import type { StoredItem } from "../../src/domain/catalogue.ts";
import { rollbackTo, type Change } from "../../src/domain/publish.ts";
import { createChangeLog } from "../../src/store/change-log.ts";
import { createFixture, type Fixture } from "./create-fixture.ts";
import type { OpenDirectory } from "./open-directory.ts";
import type { Random } from "./random.ts";
import { storedItem } from "./stored-item.ts";

const IDS = Array.from({ length: 12 }, (_, number) => `i${number}`);
const SLUGS = Array.from({ length: 10 }, (_, number) => `s${number}`);

interface Copy {
  readonly lines: Map<string, string>;
  version: string;
  at: number;
}

export interface SequenceCounts {
  synced: number;
  gone: number;
  tombstones: number;
}

/** Runs one sequence and compares every copy with a new full export. */
export async function runSequence(directory: OpenDirectory, random: Random, counts: SequenceCounts): Promise<void> {
  let current = new Map<string, StoredItem>();
  const source = await directory.store.openSource();
  await using fixture = await createFixture({
    catalogue: () => source.current(),
    changes: createChangeLog(directory.database.db),
  });
  const key = (await fixture.createKey({ plan: "pro", dailyItems: "none" })).secret;
  const copies: Copy[] = Array.from({ length: 3 }, () => ({ lines: new Map(), version: "", at: 0 }));
  try {
    for (let step = 0; step < 3 + random.below(6); step++) {
      directory.pass(1000 + random.below(100_000));
      current = await publishNext(directory, random, current);
      await source.refresh();
      const full = await exported(fixture, key, "");
      for (const copy of copies) {
        if (copy.version !== "" && random.chance(0.4)) continue;
        await follow(copy, { fixture, key, byTime: random.chance(0.3), counts });
        copy.at = directory.now();
        assert.deepEqual([...copy.lines.values()].sort(), full.items.toSorted());
      }
    }
  } finally {
    await source.close();
  }
}

async function publishNext(
  directory: OpenDirectory,
  random: Random,
  current: ReadonlyMap<string, StoredItem>,
): Promise<Map<string, StoredItem>> {
  const stored = await directory.store.versions.versions();
  if (stored.length > 1 && random.chance(0.25)) {
    const target = random.pick(stored);
    await directory.store.publish(rollbackTo(target));
    return await itemsOf(directory);
  }
  const isMerge = random.chance(0.5);
  const next = isMerge ? merged(random, current, directory.now()) : replaced(random, current, directory.now());
  const change: Change = {
    cause: "test",
    async apply(staging) {
      if (!isMerge) await staging.clear();
      await staging.upsert([...next.values()], directory.now());
    },
  };
  await directory.store.publish(change);
  return await itemsOf(directory);
}

/** From the store: an unchanged item keeps its times. */
async function itemsOf({ store: { versions } }: OpenDirectory): Promise<Map<string, StoredItem>> {
  const items = new Map<string, StoredItem>();
  const published = await versions.published();
  for await (const item of versions.items(published?.number ?? 0)) items.set(item.sourceId, item);
  return items;
}

function merged(random: Random, current: ReadonlyMap<string, StoredItem>, at: number): Map<string, StoredItem> {
  const changed = new Map<string, StoredItem>();
  const taken = new Set(Array.from(current.values(), addressOf));
  for (const id of random.some(IDS, 4)) {
    const before = current.get(id);
    const item = randomItem(random, { id, at, before });
    const address = addressOf(item);
    if (taken.has(address) && (before === undefined || addressOf(before) !== address)) continue;
    taken.add(address);
    changed.set(id, item);
  }
  return changed;
}

function replaced(random: Random, current: ReadonlyMap<string, StoredItem>, at: number): Map<string, StoredItem> {
  const items = new Map<string, StoredItem>();
  const taken = new Set<string>();
  for (const id of random.some(IDS, 12)) {
    const before = current.get(id);
    const item = before !== undefined && random.chance(0.5) ? before : randomItem(random, { id, at, before });
    if (taken.has(addressOf(item))) continue;
    taken.add(addressOf(item));
    items.set(id, item);
  }
  return items;
}

/** Few slugs, so that another row often takes a free address; the same title, so that some change nothing. */
function randomItem(
  random: Random,
  { id, at, before }: { readonly id: string; readonly at: number; readonly before: StoredItem | undefined },
): StoredItem {
  const keepsAddress = before !== undefined && random.chance(0.6);
  const type: ItemType = keepsAddress ? before.item.type : random.pick(ITEM_TYPES);
  const slug = keepsAddress ? before.item.slug : random.pick(SLUGS);
  return storedItem({ id, slug, type, title: random.pick(["A", "B", "C"]), at });
}

function addressOf({ item: { type, slug } }: StoredItem): string {
  return `${type}/${slug}`;
}

interface Following {
  readonly fixture: Fixture;
  readonly key: string;
  readonly byTime: boolean;
  readonly counts: SequenceCounts;
}

/** What a client does: changes since its last call, or everything again after a 410. */
async function follow(copy: Copy, { fixture, key, byTime, counts }: Following): Promise<void> {
  const since = byTime ? new Date(copy.at).toISOString() : copy.version;
  let answer = await exported(fixture, key, copy.version === "" ? "" : `&since=${since}`);
  if (answer.status === 410) {
    counts.gone++;
    copy.lines.clear();
    answer = await exported(fixture, key, "");
  } else if (copy.version !== "") counts.synced++;
  assert.equal(answer.status, 200);
  for (const line of [...answer.tombstones, ...answer.items]) {
    const { type, slug, deleted_at } = JSON.parse(line) as Record<string, string>;
    if (deleted_at === undefined) copy.lines.set(`${type}/${slug}`, line);
    else {
      counts.tombstones++;
      assert.ok(copy.lines.delete(`${type}/${slug}`), `no item for the tombstone of ${type}/${slug}`);
    }
  }
  copy.version = answer.version;
}

async function exported(fixture: Fixture, key: string, since: string) {
  fixture.pass(1000);
  const response = await fixture.ask(`/api/items?limit=all&format=ndjson${since}`, { key });
  const lines = response.statusCode === 200 ? response.body.split("\n").filter((line) => line !== "") : [];
  const isTombstone = (line: string) => line.includes('"deleted_at"');
  return {
    status: response.statusCode,
    version: String(response.headers["x-data-version"]),
    items: lines.filter((line) => !isTombstone(line)),
    tombstones: lines.filter(isTombstone),
  };
}
