/** `since`: its forms, its problems, and what the answer says for the next call. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StoredItem } from "../../src/domain/catalogue.ts";
import { createChangeLog } from "../../src/store/change-log.ts";
import { createFixture, type Fixture } from "../support/create-fixture.ts";
import { openDirectory, type OpenDirectory } from "../support/open-directory.ts";
import { storedItem } from "../support/stored-item.ts";

interface Served extends AsyncDisposable {
  readonly directory: OpenDirectory;
  readonly fixture: Fixture;
  publish(items: readonly StoredItem[], alone?: boolean): Promise<string>;
  lines(query: string): Promise<Record<string, unknown>[]>;
}

async function serve(): Promise<Served> {
  const opened = new AsyncDisposableStack();
  const directory = opened.use(await openDirectory());
  const source = opened.adopt(await directory.store.openSource(), (resource) => resource.close());
  const changes = createChangeLog(directory.database.db);
  const fixture = opened.use(await createFixture({ catalogue: () => source.current(), changes }));
  return {
    directory,
    fixture,
    async publish(items, alone = false) {
      directory.pass(60_000);
      await directory.publishItems(items, { alone });
      await source.refresh();
      return source.current()?.version().id ?? "";
    },
    async lines(query) {
      const response = await fixture.ask(`/api/items?limit=all&format=ndjson&${query}`, { key: fixture.pro });
      assert.equal(response.statusCode, 200, response.body);
      return response.body
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const item = (id: string, sketch: Omit<Parameters<typeof storedItem>[0], "id"> = {}) => storedItem({ id, ...sketch });

describe("GET /api/items?since", () => {
  it("returns only items created or changed after a version, and the version for the next call", async () => {
    await using served = await serve();
    const first = await served.publish([item("a"), item("b")]);
    const second = await served.publish([item("b", { title: "B2" }), item("c")]);
    const response = await served.fixture.ask(`/api/items?since=${first}`, { key: served.fixture.discovery });
    const page = response.json<{ total: number; items: { slug: string }[]; version: string; query: object }>();
    assert.deepEqual(page.items.map(({ slug }) => slug).sort(), ["b", "c"]);
    assert.equal(page.total, 2);
    assert.equal(page.version, second);
    assert.equal(response.headers["x-data-version"], second);
    assert.deepEqual(page.query, { since: first, sort: "title" });
    const nothing = await served.fixture.ask(`/api/items?since=${second}`, { key: served.fixture.discovery });
    assert.equal(nothing.json<{ total: number }>().total, 0);
  });

  it("accepts a time, with an offset, and resolves it to the version published then", async () => {
    await using served = await serve();
    await served.publish([item("a")]);
    const between = new Date(served.directory.now() + 1000);
    await served.publish([item("b")]);
    for (const text of [
      between.toISOString(),
      new Date(between.getTime() + 3_600_000).toISOString().replace("Z", "+01:00"),
      new Date(between.getTime() - 3_600_000).toISOString().replace("Z", "-01:00").toLowerCase(),
    ]) {
      const lines = await served.lines(`since=${text}`);
      assert.deepEqual(
        lines.map(({ slug }) => slug),
        ["b"],
        text,
      );
    }
    assert.equal((await served.lines("since=1999-01-01T00:00:00Z")).length, 2, "before the first version: everything");
    assert.equal((await served.lines("since=2999-01-01T00:00:00Z")).length, 0);
  });

  it("sends tombstones before items, with the time of removal, and does not count them", async () => {
    await using served = await serve();
    const first = await served.publish([item("a"), item("b")]);
    await served.publish([item("a")], true);
    const removedAt = new Date(served.directory.now()).toISOString();
    await served.publish([item("a", { title: "A2" })], true);
    const response = await served.fixture.ask(`/api/items?limit=all&format=ndjson&since=${first}`, {
      key: served.fixture.pro,
    });
    const [tombstone, changed, ...more] = response.body.trimEnd().split("\n");
    assert.deepEqual(JSON.parse(tombstone), { type: "place", slug: "b", deleted_at: removedAt });
    assert.match(changed, /"slug":"a"/);
    assert.deepEqual(more, []);
    assert.equal(response.headers["x-total-count"], "1");
    const usage = await served.fixture.ask("/api/usage", { key: served.fixture.pro });
    assert.equal(usage.json<{ day: { used: number } }>().day.used, 1);
  });

  it("sends no tombstones in other formats or pages", async () => {
    await using served = await serve();
    const first = await served.publish([item("a"), item("b")]);
    await served.publish([item("a")], true);
    for (const query of ["format=ndjson", "format=csv&limit=all", "format=geojson&limit=all", "limit=5"]) {
      const response = await served.fixture.ask(`/api/items?since=${first}&${query}`, { key: served.fixture.pro });
      assert.equal(response.statusCode, 200);
      assert.doesNotMatch(response.body, /deleted_at/, query);
    }
  });

  it("sends a tombstone for a changed item that no longer matches the filters", async () => {
    await using served = await serve();
    const first = await served.publish([item("a", { tags: ["x"] }), item("b", { tags: ["x"] }), item("c")]);
    await served.publish([item("a"), item("b", { tags: ["x", "y"] }), item("d", { type: "actor" })]);
    const lines = await served.lines(`tag=x&type=place&since=${first}`);
    assert.deepEqual(
      lines.map((line) => [line["slug"], "deleted_at" in line]),
      [
        ["a", true],
        ["b", false],
      ],
    );
  });

  it("sends a tombstone for the old address of an item whose type changed", async () => {
    await using served = await serve();
    const first = await served.publish([item("a")]);
    await served.publish([item("a", { type: "actor" })]);
    const lines = await served.lines(`since=${first}`);
    assert.deepEqual(
      lines.map((line) => [line["type"], "deleted_at" in line]),
      [
        ["place", true],
        ["actor", false],
      ],
    );
  });

  it("answers 410 with the oldest stored version when the version was removed or never existed", async () => {
    await using served = await serve();
    const first = await served.publish([item("a")]);
    const time = new Date(served.directory.now()).toISOString();
    for (let round = 0; round < 6; round++) await served.publish([item(`b${round}`)]);
    const [oldest] = (await served.directory.store.versions.versions()).toReversed();
    for (const since of [first, time, "3-000000000000", "99-000000000000"]) {
      const response = await served.fixture.ask(`/api/items?since=${since}`, { key: served.fixture.pro });
      const problem = response.json<Record<string, unknown>>();
      assert.deepEqual([response.statusCode, problem["code"]], [410, "version_gone"], since);
      const published_at = new Date(oldest.publishedAt).toISOString();
      assert.deepEqual(problem["oldest"], { version: oldest.id, published_at });
    }
  });

  it("rejects other forms with 400", async () => {
    await using served = await serve();
    await served.publish([item("a")]);
    for (const since of ["", "yesterday", "7", "2026-11-20", "2026-13-45T00:00:00Z", "1-xyz", "0-000000000000"]) {
      const response = await served.fixture.ask(`/api/items?since=${since}`, { key: served.fixture.pro });
      assert.equal(response.statusCode, 400, since);
      assert.equal(response.json<{ errors: { path: string }[] }>().errors[0].path, "?since");
    }
  });
});
