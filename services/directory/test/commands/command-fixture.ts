/** A folder with a CSV file and its mapping, commands in empty data folders of it, and what they stored. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { openStore } from "../../src/store/open-store.ts";
import { runCommand, type RunOptions } from "../support/run-command.ts";
import { collected } from "../support/stored-item.ts";

export const CSV = [
  "id,titre,commune,latitude,longitude,themes",
  '1,Musée Ingres,Montauban,44.0176,1.3523,"art, peinture"',
  "2,Musée de l'Ain,Bourg-en-Bresse,46.2052,5.2255,Art",
  "",
].join("\n");
const MAPPING = {
  id: "id",
  title: "titre",
  location: { lat: "latitude", lon: "longitude" },
  commune: { from: "commune", by: "name" },
  tags: { from: "themes", split: "," },
};

export function createCommandFixture() {
  let folder = "";
  let runs = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "triptych-commands-"));
    await writeFile(join(folder, "musees.csv"), CSV);
    await writeFile(join(folder, "map.json"), JSON.stringify(MAPPING));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const path = (name: string) => join(folder, name);
  return {
    path,
    /** Commands in an empty data folder. */
    fresh(options: Partial<RunOptions> = {}) {
      const data = path(`data-${runs++}`);
      return { data, run: (...args: string[]) => runCommand(args, { data, ...options }) };
    },
    /** Arguments of an import of the CSV file. */
    musees: () => [
      "import",
      path("musees.csv"),
      "--type",
      "place",
      "--map",
      path("map.json"),
      "--source",
      '{"name":"Test"}',
    ],
  };
}

export async function withStore<T>(
  data: string,
  work: (store: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
): Promise<T> {
  await using store = await openStore(
    { TRIPTYCH_DATA: data, DIRECTORY_ENGINE: "memory" },
    { report: () => {}, now: Date.now },
  );
  return await work(store);
}

async function published(data: string) {
  return withStore(data, async ({ directory }) => {
    const version = await directory.versions.published();
    return collected(directory.versions.items(version?.number ?? 0));
  });
}

export async function sources(data: string): Promise<string[]> {
  return [...new Set((await published(data)).map(({ sourceName }) => sourceName))].sort();
}

export async function slugs(data: string): Promise<string[]> {
  return (await published(data)).map(({ item }) => item.slug);
}
