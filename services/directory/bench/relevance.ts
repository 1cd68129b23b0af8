/**
 * Relevance of the memory engine and of other engines over the same items: `npm run bench:relevance [-- --misses]`.
 * Tune on the development half only; `--misses` lists its queries without a relevant item among the first three.
 */
import type { Catalogue, ItemFields, StoredItem } from "../src/domain/catalogue.ts";
import { NO_FILTERS } from "../src/domain/catalogue.ts";
import { starterSynonyms } from "../src/store/starter-synonyms.ts";
import { seeded } from "../test/support/random.ts";
import { openInMemory } from "../test/support/open-in-memory.ts";
import { dataFolder, readBenchItems } from "./relevance-items.ts";
import { fieldsOf, openPeers, RESULTS, type Peer } from "./relevance-peers.ts";
import { readQueries, type JudgedQuery } from "./relevance-queries.ts";
import { withTypingErrors } from "./relevance-typos.ts";

const OURS = "Triptych";
const flags = new Set(process.argv.slice(2));

async function run(folder: URL): Promise<void> {
  const { items, tagLabels } = await readBenchItems(folder);
  const queries = readQueries();
  for (const query of queries)
    if (!items.some(({ item }) => query.isRelevant(item))) throw new Error(`no item is relevant to "${query.text}"`);
  say(`${queries.length} judged queries, ${items.length} items`);

  const labels = new Map(tagLabels.map(({ slug, label }) => [slug, label]));
  await using opened = new AsyncDisposableStack();
  const ours = opened.use(triptych(items, await openInMemory(items, tagLabels)));
  const peers = [ours];
  if (!flags.has("--ours"))
    for (const peer of await openPeers(items.map(({ item }, id) => fieldsOf(item, id, labels))))
      peers.push(opened.use(peer));

  const judged = await judgeAll(peers, queries, items);
  const misspelled = await judgeAll(peers, withTypingErrors(queries, seeded(1)), items);
  if (flags.has("--misses")) sayMisses(judged.get(OURS) ?? []);
  for (const half of ["development", "test"] as const) {
    if (half === "test" && flags.has("--development")) continue;
    sayTotals(`${half} half`, ofHalf(half, judged));
    sayGroups(half, judged.get(OURS) ?? []);
    sayTotals(`${half} half with a random typing error in each`, ofHalf(half, misspelled));
  }
}

interface Judged {
  readonly query: JudgedQuery;
  /** From 1; Infinity without a relevant item among the first ten. */
  readonly rank: number;
  readonly found: number;
  readonly first: ItemFields | undefined;
}

async function judgeAll(
  peers: readonly Peer[],
  queries: readonly JudgedQuery[],
  items: readonly StoredItem[],
): Promise<JudgedByPeer> {
  const judged = new Map<string, Judged[]>();
  for (const peer of peers) judged.set(peer.name, await judge(peer, queries, items));
  return judged;
}

async function judge(peer: Peer, queries: readonly JudgedQuery[], items: readonly StoredItem[]): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const query of queries) {
    const ids = await peer.search(query.text);
    const position = ids.findIndex((id) => query.isRelevant(items[id].item));
    const first = ids.length === 0 ? undefined : items[ids[0]].item;
    judged.push({ query, rank: position < 0 ? Infinity : position + 1, found: ids.length, first });
  }
  return judged;
}

function triptych(items: readonly StoredItem[], catalogue: Catalogue): Peer {
  const ids = new Map(items.map(({ item }, id) => [`${item.type}/${item.slug}`, id]));
  return {
    name: OURS,
    async search(text) {
      const paging = { sort: "relevance", offset: 0, limit: RESULTS, variant: "summary" } as const;
      const query = { ...NO_FILTERS, synonyms: starterSynonyms(), text, ...paging };
      const { hits } = await catalogue.search(query);
      return hits.map(({ json }) => {
        const { type, slug } = JSON.parse(Buffer.from(json).toString()) as Pick<ItemFields, "type" | "slug">;
        return ids.get(`${type}/${slug}`) ?? -1;
      });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

const HEADS = ["hit@1", "hit@3", "MRR@10", "no answer", "none in 10"];

function figuresOf(judged: readonly Judged[]): string[] {
  const share = (test: (entry: Judged) => boolean) => judged.filter(test).length / judged.length;
  const reciprocal = judged.reduce((sum, { rank }) => sum + 1 / rank, 0) / judged.length;
  return [
    share(({ rank }) => rank === 1).toFixed(3),
    share(({ rank }) => rank <= 3).toFixed(3),
    reciprocal.toFixed(3),
    `${(share(({ found }) => found === 0) * 100).toFixed(1)} %`,
    String(judged.filter(({ rank }) => rank === Infinity).length),
  ];
}

type JudgedByPeer = ReadonlyMap<string, readonly Judged[]>;

function ofHalf(half: JudgedQuery["half"], judged: JudgedByPeer): JudgedByPeer {
  return new Map([...judged].map(([name, all]) => [name, all.filter(({ query }) => query.half === half)]));
}

function sayTotals(title: string, judged: JudgedByPeer): void {
  const [{ length } = []] = judged.values();
  say(`\n| ${title}, ${length} queries | ${HEADS.join(" | ")} |\n|---|${"---:|".repeat(HEADS.length)}`);
  for (const [name, all] of judged) say(`| ${name} | ${figuresOf(all).join(" | ")} |`);
}

function sayGroups(half: JudgedQuery["half"], judged: readonly Judged[]): void {
  const groups = Map.groupBy(
    judged.filter(({ query }) => query.half === half),
    ({ query }) => query.group,
  );
  say(`\n| ${OURS}, ${half} half | queries | ${HEADS.join(" | ")} |\n|---|---:|${"---:|".repeat(HEADS.length)}`);
  for (const [group, entries] of groups) say(`| ${group} | ${entries.length} | ${figuresOf(entries).join(" | ")} |`);
}

function sayMisses(judged: readonly Judged[]): void {
  for (const { query, rank, found, first } of judged)
    if (query.half === "development" && rank > 1)
      say(
        `${query.group}: "${query.text}" rank ${rank}, ${found} found, first ${first?.title} (${first?.commune?.nom})`,
      );
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (dataFolder === null)
  say("Skipped: the shared data is not available (../shared/data/directory beside the repository).");
else await run(dataFolder);
