/** Test 11 of the contract: a modified snapshot is rejected with a reason and never served. */
import { NO_FILTERS } from "../src/domain/catalogue.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { crc32 } from "node:zlib";
import { buildIndex } from "../src/domain/index/build.ts";
import { keepItems } from "../src/domain/index/item-store.ts";
import { openMemoryCatalogue } from "../src/domain/index/memory-catalogue.ts";
import {
  readSnapshotHeader,
  readSnapshotIndex,
  SnapshotRefused,
  type ByteSource,
} from "../src/domain/index/snapshot.ts";
import { buildInMemory, memorySink, memorySource } from "./support/open-in-memory.ts";
import { randomItems, TAG_LABELS } from "./support/random-items.ts";
import { seeded } from "./support/random.ts";

const TRAILER = 40;
const items = randomItems(seeded(11), 60);
const everything = {
  ...NO_FILTERS,
  sort: "title",
  offset: 0,
  limit: 100,
  variant: "all",
} as const;

/** Opens it and reads every item, as a reader would. */
async function readAll(source: ByteSource): Promise<Uint8Array[]> {
  const index = await readSnapshotIndex(source);
  const catalogue = openMemoryCatalogue({ index, source, version: { number: 1, id: "1-x", publishedAt: 0 } });
  return (await catalogue.search(everything)).hits.map(({ json }) => json);
}

describe("a snapshot", () => {
  it("has the same bytes and content hash for the same items", async () => {
    const [one, other] = [memorySink(), memorySink()];
    const built = await buildIndex({ items, tagLabels: TAG_LABELS }, one);
    assert.deepEqual(await buildIndex({ items, tagLabels: TAG_LABELS.toReversed() }, other), built);
    assert.ok(Buffer.from(one.bytes()).equals(other.bytes()));
    assert.equal(built.bytes, one.bytes().length);
    const index = await readSnapshotIndex(memorySource(one.bytes()));
    assert.equal(index.header.contentHash, built.contentHash);
    assert.match(built.contentHash, /^[0-9a-f]{64}$/);
  });

  it("gives the size of its index before reading it", async () => {
    const bytes = await buildInMemory(items, TAG_LABELS);
    let read = 0;
    const counting: ByteSource = {
      size: bytes.length,
      async read(offset, length) {
        read += length;
        return bytes.subarray(offset, offset + length);
      },
    };
    const header = await readSnapshotHeader(counting);
    assert.ok(read + header.itemsLength < bytes.length - header.indexLength + 100);
    assert.equal(header.itemCount, items.length);
    const { buffer } = await readSnapshotIndex(counting);
    assert.ok(buffer.byteLength >= header.indexLength && buffer.byteLength < header.indexLength + 8);
  });

  it("has another content hash when an item or a tag label changes", async () => {
    const hashOf = async (changed: typeof items, labels: typeof TAG_LABELS) =>
      (await buildIndex({ items: changed, tagLabels: labels }, memorySink())).contentHash;
    const [first, ...rest] = items;
    const renamed = [{ ...first, item: { ...first.item, title: "Autre titre" } }, ...rest];
    const hashes = [
      await hashOf(items, TAG_LABELS),
      await hashOf(renamed, TAG_LABELS),
      await hashOf(rest, TAG_LABELS),
      await hashOf(items, TAG_LABELS.slice(1)),
    ];
    assert.equal(new Set(hashes).size, 4);
  });

  it("is rejected when any byte is flipped", async () => {
    const good = await buildInMemory(items, TAG_LABELS);
    const random = seeded(12);
    const ends = Array.from({ length: 8 + TRAILER }, (_, at) => (at < 8 ? at : good.length - 1 - (at - 8)));
    const anywhere = Array.from({ length: 400 }, () => random.below(good.length));
    for (const at of [...ends, ...anywhere]) {
      const damaged = Buffer.from(good);
      damaged[at] ^= 1 << random.below(8);
      await assert.rejects(readAll(memorySource(damaged)), SnapshotRefused, `byte ${at} of ${good.length}`);
    }
  });

  it("is rejected when truncated or extended", async () => {
    const good = await buildInMemory(items, TAG_LABELS);
    const random = seeded(13);
    const lengths = [
      0,
      1,
      8,
      47,
      48,
      good.length - 1,
      good.length - TRAILER,
      ...Array.from({ length: 40 }, () => random.below(good.length)),
    ];
    for (const length of lengths) {
      await assert.rejects(
        readAll(memorySource(good.subarray(0, length))),
        SnapshotRefused,
        `${length} of ${good.length} bytes`,
      );
    }
    await assert.rejects(readAll(memorySource(Buffer.concat([good, Buffer.alloc(1)]))), SnapshotRefused);
    await assert.rejects(readAll(memorySource(Buffer.concat([good, good.subarray(-TRAILER)]))), SnapshotRefused);
  });

  it("is rejected with a reason for another format or analyser version", async () => {
    const good = await buildInMemory(items, TAG_LABELS);
    const cases = [
      { at: 16, value: 0, reason: /an older format \(0, this program reads \d+\)/ },
      { at: 16, value: 99, reason: /a newer format/ },
      { at: 20, value: 0, reason: /an older analyser/ },
      { at: 20, value: 99, reason: /a newer analyser/ },
    ];
    for (const { at, value, reason } of cases) {
      const other = Buffer.from(good);
      const trailer = other.subarray(-TRAILER);
      trailer.writeUInt32LE(value, at);
      trailer.writeUInt32LE(crc32(trailer.subarray(0, 24)), 24);
      await assert.rejects(
        readAll(memorySource(other)),
        (error) => error instanceof SnapshotRefused && reason.test(error.message),
      );
    }
  });

  it("works with an asynchronous source, and rejects an item damaged after opening", async () => {
    const bytes = Buffer.from(await buildInMemory(items, TAG_LABELS));
    const later: ByteSource = {
      size: bytes.length,
      read: async (offset, length) => bytes.subarray(offset, offset + length),
    };
    const index = await readSnapshotIndex(later);
    const catalogue = openMemoryCatalogue({ index, source: later, version: { number: 1, id: "1-x", publishedAt: 0 } });
    assert.equal((await catalogue.search(everything)).hits.length, items.length);
    bytes[20] ^= 1;
    await assert.rejects(async () => catalogue.search(everything), SnapshotRefused);
  });

  it("is shared by several catalogues without copying its index", async () => {
    const source = memorySource(await buildInMemory(items, TAG_LABELS));
    const index = await readSnapshotIndex(source);
    assert.ok(index.buffer instanceof SharedArrayBuffer);
    const catalogues = [1, 2].map((number) =>
      openMemoryCatalogue({ index, source, version: { number, id: `${number}-x`, publishedAt: 0 } }),
    );
    const pages = await Promise.all(
      catalogues.map(async (catalogue) => catalogue.search({ ...everything, sort: "-updated_at" })),
    );
    assert.deepEqual(pages[0], pages[1]);
  });

  it("caches verified items for all its catalogues, and no damaged one", async () => {
    const bytes = Buffer.from(await buildInMemory(items, TAG_LABELS));
    let reads = 0;
    const source: ByteSource = {
      size: bytes.length,
      async read(offset, length) {
        reads++;
        return Buffer.from(bytes.subarray(offset, offset + length));
      },
    };
    const index = await readSnapshotIndex(source);
    const cachedItems = keepItems(index.header);
    const [one, other] = [1, 2].map((number) =>
      openMemoryCatalogue({ index, source, cachedItems, version: { number, id: `${number}-x`, publishedAt: 0 } }),
    );
    bytes[20] ^= 1;
    await assert.rejects(async () => one.search(everything), SnapshotRefused);
    await assert.rejects(async () => other.search(everything), SnapshotRefused);
    bytes[20] ^= 1;
    const first = await one.search(everything);
    reads = 0;
    bytes.fill(0);
    assert.deepEqual((await other.search(everything)).hits, first.hits);
    const summaries = await one.search({ ...everything, variant: "summary" });
    assert.equal(reads, 0);
    for (const [position, { json }] of summaries.hits.entries()) {
      const whole: unknown = JSON.parse(Buffer.from(first.hits[position].json).toString());
      assert.partialDeepStrictEqual(whole, JSON.parse(Buffer.from(json).toString()));
    }
  });

  it("never serves a replaced item", async () => {
    const bytes = Buffer.from(await buildInMemory(items, TAG_LABELS));
    const [first] = await readAll(memorySource(bytes));
    bytes.set(Buffer.from(first).toReversed(), bytes.indexOf(first));
    await assert.rejects(readAll(memorySource(bytes)), SnapshotRefused);
  });

  it("is not built from unordered or duplicate items", async () => {
    const build = (wrong: typeof items) => buildIndex({ items: wrong, tagLabels: [] }, memorySink());
    await assert.rejects(build(items.toReversed()), /ordered by \(type, slug\)/);
    await assert.rejects(build([items[0], items[0]]), /ordered by \(type, slug\)/);
  });
});
