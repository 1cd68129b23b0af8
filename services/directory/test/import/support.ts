/** Helpers of the importer's tests: files from strings and folders, a whole import, an in-memory slug store. */
import { existsSync, readFileSync } from "node:fs";
import type { TestContext } from "node:test";
import type { ItemType } from "@triptych/contracts";
import { loadOutlines } from "../../src/domain/import/boundaries.ts";
import { createImport } from "../../src/domain/import/import-run.ts";
import { parseMapping, readMapping } from "../../src/domain/import/mapping.ts";
import { renderIssues } from "../../src/commands/render-report.ts";
import { EMPTY_SLUG_STORE } from "../../src/domain/import/slug-registry.ts";
import type { Boundaries } from "../../src/domain/import/boundaries.ts";
import type { AcceptedRow, RowOutcome } from "../../src/domain/import/import-run.ts";
import type { Mapping } from "../../src/domain/import/mapping.ts";
import type { ImportReport } from "../../src/domain/import/report.ts";
import type { Addresses } from "../../src/domain/published-versions.ts";
import type { CountedLabel } from "../../src/domain/import/tag-labels.ts";

export const NOW = new Date("2026-11-20T00:00:00.000Z");

/** A file as a stream of chunks of one size. */
export async function* chunksOf(content: string | Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

export interface ImportCase {
  readonly path: string;
  readonly content: string | Uint8Array;
  readonly type?: ItemType;
  /** null: guessed. */
  readonly mapping: unknown;
  readonly outlines?: Boundaries | null;
  readonly dropBadLocation?: boolean;
  readonly chunkSize?: number;
  readonly separator?: string;
  readonly jsonPath?: string;
  readonly slugs?: Addresses;
}

export interface Imported {
  readonly outcomes: readonly RowOutcome[];
  readonly accepted: readonly AcceptedRow[];
  readonly report: ImportReport;
  readonly labels: readonly CountedLabel[];
  readonly mapping: Mapping;
}

export async function importAll(testCase: ImportCase): Promise<Imported> {
  const {
    path,
    content,
    mapping,
    type = "place",
    outlines = null,
    dropBadLocation = false,
    slugs = EMPTY_SLUG_STORE,
  } = testCase;
  const mappingOption = mapping === null ? {} : { mapping: mappingOf(mapping) };
  const run = createImport({
    type,
    ...mappingOption,
    separator: testCase.separator,
    path: testCase.jsonPath,
    dropBadLocation,
    now: NOW,
    slugs,
    outlines,
  });
  const opened = await run.open({ path, bytes: chunksOf(content, testCase.chunkSize) });
  const outcomes: RowOutcome[] = [];
  for await (const batch of run.rows(opened)) outcomes.push(...batch);
  const accepted = outcomes.filter((outcome) => outcome.kind === "accepted");
  return { outcomes, accepted, report: run.report(null), labels: run.tagLabels(), mapping: opened.mapping };
}

export function mappingOf(value: unknown): Mapping {
  const read = typeof value === "string" ? parseMapping(value) : readMapping(value);
  if ("issues" in read) throw new Error(renderIssues(read.issues));
  return read.mapping;
}

export function outlinesOf(collection: unknown): Boundaries {
  const outlines = loadOutlines(collection);
  if ("issues" in outlines) throw new Error(outlines.issues.join("\n"));
  return outlines;
}

/** A FeatureCollection of outlines from codes and coordinates. */
export function outlineCollection(shapes: readonly { code: string; type: string; coordinates: unknown }[]): unknown {
  return {
    type: "FeatureCollection",
    features: shapes.map(({ code, type, coordinates }) => ({
      type: "Feature",
      properties: { code },
      geometry: { type, coordinates },
    })),
  };
}

/** Remembers slugs of earlier imports, like a store. */
export function slugStoreOf(rows: readonly AcceptedRow[]): Addresses {
  return {
    slugsOf: async (sourceName, ids) =>
      new Map(
        rows
          .filter(({ item }) => item.sourceName === sourceName && ids.includes(item.sourceId))
          .map(({ item }) => [item.sourceId, { type: item.item.type, slug: item.item.slug }]),
      ),
    ownersOf: async (type, slugs) =>
      new Map(
        rows
          .filter(({ item }) => item.item.type === type && slugs.includes(item.item.slug))
          .map(({ item }) => [item.item.slug, { sourceName: item.sourceName, sourceId: item.sourceId }]),
      ),
  };
}

/** The folder of real data next to the repository, or null with a skip message; required in CI. */
export function realDataFolder(context: TestContext): URL | null {
  const folder = new URL("../../../../../shared/data/directory/", import.meta.url);
  if (existsSync(folder)) return folder;
  if (process.env["CI"] !== undefined)
    throw new Error("the real data is missing (../shared/data/directory beside the repository)");
  context.skip("the real data is not available (../shared/data/directory beside the repository)");
  return null;
}

export function readJson(url: URL): unknown {
  return JSON.parse(readFileSync(url, "utf8"));
}
