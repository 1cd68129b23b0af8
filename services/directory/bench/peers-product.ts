/**
 * The product's PostgreSQL engine, `DIRECTORY_ENGINE=postgres`, opened as by the service on the same items. Unlike
 * peers it parses queries itself, with corrections and unfinished words.
 */
import { openStore } from "../src/store/open-store.ts";
import type { Catalogue } from "../src/domain/catalogue.ts";
import { startPostgres } from "@triptych/storage/testing";
import { benchData } from "./generated-items.ts";
import { SHARED_BUFFERS } from "./peers-postgres.ts";
import { inBatches } from "./peers-query.ts";

export interface ProductPeer extends AsyncDisposable {
  readonly catalogue: Catalogue;
}

const BATCH = 2000;

/** Null when the program selected another engine. */
export async function openProductPeer(folder: string, items: number): Promise<ProductPeer | null> {
  const server = await startPostgres({ durable: false, sharedBuffers: SHARED_BUFFERS });
  await using opened = new AsyncDisposableStack();
  const { directory } = opened.use(
    await openStore(
      {
        TRIPTYCH_DATA: folder,
        DATABASE_URL: await server.createDatabase({ postgis: true }),
        DIRECTORY_ENGINE: "postgres",
        DIRECTORY_INDEX_BYTES: undefined,
      },
      { report: () => {}, now: () => Date.now() },
    ),
  );
  if (directory.engine.name !== "postgres") return null;

  const at = Date.now();
  const data = benchData(items);
  await directory.publish({
    cause: "bench",
    async apply(staging) {
      for (const batch of inBatches(data.items(), BATCH)) await staging.upsert(batch, at);
      await staging.upsertLabels(data.tagLabels.map((label) => ({ ...label, uses: 1 })));
    },
  });
  const source = opened.adopt(await directory.openSource(), (resource) => resource.close());
  const catalogue = source.current();
  if (catalogue === null) throw new Error("the PostgreSQL engine opened no catalogue");
  const parts = opened.move();
  return { catalogue, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
