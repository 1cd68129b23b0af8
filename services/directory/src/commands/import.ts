/**
 * `import`: validates and stages rows while reading, then publishes them in one transaction or not at all. Any failure
 * (rejects, full disk, SIGKILL) leaves the published version unchanged; the next import clears the staged rows.
 */
import { createReadStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { classifyStorageError } from "@triptych/storage";
import { confirmOrRefuse, widthOf } from "@triptych/terminal";
import type { Command } from "commander";
import { loadOutlines, type Boundaries } from "../domain/import/boundaries.ts";
import {
  createImport,
  ImportRefused,
  type Import,
  type OpenedFile,
  type RowOutcome,
} from "../domain/import/import-run.ts";
import { isOverLimit, type ImportReport } from "../domain/import/report.ts";
import { describeItem, type DescribedItem } from "../domain/item-document.ts";
import type { Mapping } from "../domain/import/mapping.ts";
import type { Staging } from "../domain/published-versions.ts";
import type { Publication, PublicationStep } from "../domain/publish.ts";
import { isBareSample } from "../store/directory-store.ts";
import { shippedCollection } from "../pages/bundled-boundaries.ts";
import { readOutlines } from "../store/open-store.ts";
import { declareImport, readImportPlan, type ImportPlan, type ImportCommandOptions } from "./import-options.ts";
import { showProgress, type ImportProgress } from "./import-progress.ts";
import { renderIssues, renderPreview, renderReport, unitOf } from "./render-report.ts";
import { FORGETTING, isReplaceable, say, withStore, type OpenedStore, type CliContext } from "./cli-context.ts";

/**
 * Items per write. Larger batches touch fewer pages; batches start small, so that a short import reads and writes in
 * parallel. The largest takes about 15 MB, twice.
 */
const FIRST_BATCH = 2000;
const LARGEST_BATCH = 8000;
const PREVIEW_ROWS = 5;

export class NotPublished extends Error {
  override readonly name = "NotPublished";
}

export function addImportCommand(directory: Command, context: CliContext): void {
  declareImport(directory).action(async (paths: string[], options: ImportCommandOptions, command: Command) => {
    const plan = await readImportPlan(paths, options, command);
    if (plan.mode === "replace" && !plan.dryRun)
      await confirmOrRefuse(command, "Replace all items of every source by the rows of these files?");
    context.lowerPriority?.();
    await withStore(context, (opened) => runImport(opened, plan, context));
  });
}

interface Run {
  readonly opened: OpenedStore;
  readonly plan: ImportPlan;
  readonly context: CliContext;
  readonly progress: ImportProgress;
  readonly at: number;
  readonly outlines: Boundaries | null;
}

async function runImport(opened: OpenedStore, plan: ImportPlan, context: CliContext): Promise<void> {
  const { stderr, now } = context;
  const progress = showProgress(
    stderr,
    plan.files.reduce((sum, file) => sum + file.size, 0),
    now,
  );
  const run = { opened, plan, context, progress, at: now(), outlines: await outlinesForImport(opened) };
  try {
    await removeEarlierReport(plan);
    await (plan.dryRun ? rehearse(run) : importAndPublish(run));
  } catch (error) {
    if (error instanceof ImportRefused && error.partial !== null) await sayPartial(run, error.path, error.partial);
    if (error instanceof ImportRefused && error.issues.length > 0) {
      throw new NotPublished(`${error.message}:\n${renderIssues(error.issues)}\nNothing was changed.`, {
        cause: error,
      });
    }
    if (error instanceof ImportRefused)
      throw new NotPublished(`${error.message}. Nothing was changed.`, { cause: error });
    if (error instanceof Error && classifyStorageError(error) === "down")
      throw new NotPublished(`The store is full (${error.message}). Nothing was changed.`, { cause: error });
    throw error;
  } finally {
    progress.end();
  }
}

/** Writes what was recognized, as a start for the person who writes the mapping. */
async function sayPartial({ plan, context, progress }: Run, path: string, partial: Partial<Mapping>): Promise<void> {
  progress.end();
  say(context.stderr, `${path}: recognized so far, as a start for a mapping file:`);
  await sayMapping(plan, context, partial);
}

async function sayMapping(plan: ImportPlan, context: CliContext, mapping: Partial<Mapping>): Promise<void> {
  const text = JSON.stringify(mapping, null, 2);
  say(context.stderr, text);
  if (plan.writeMapping === undefined) return;
  await writeFile(plan.writeMapping, `${text}\n`);
  say(context.stderr, `Wrote ${plan.writeMapping}; complete it and pass it with --map.`);
}

/** A run that fails before its report must not leave an earlier run's report behind. */
async function removeEarlierReport({ report }: ImportPlan): Promise<void> {
  if (report !== undefined && (await isReplaceable(report))) await rm(report, { force: true });
}

async function rehearse(run: Run): Promise<void> {
  const { plan, context, opened } = run;
  const pipeline = createPipeline(run, plan.mode === "replace" ? sourceNamesOf(plan) : "all");
  const files = await openFiles(run, pipeline);
  const preview: RowOutcome[] = [];
  for (const file of files) {
    for await (const outcomes of pipeline.rows(file)) {
      run.progress.rows(outcomes.length);
      preview.push(...outcomes.slice(0, PREVIEW_ROWS - preview.length));
    }
  }
  run.progress.end();
  const report = pipeline.report(null);
  if (!plan.json) say(context.stdout, renderPreview(preview, widthOf(context.stdout), unitOf(report.files)));
  await writeReport(run, report);
  const published = await opened.directory.versions.published();
  say(context.stderr, `Dry run: version ${published?.id ?? "(none)"} is unchanged.`);
  // Scripts that validate a file before importing it rely on the exit status.
  refuseIfWrong(plan, report);
}

async function importAndPublish(run: Run): Promise<void> {
  const { plan, context, opened, progress } = run;
  let report: ImportReport | null = null;
  const apply = async (staging: Staging): Promise<void> => {
    const clears = plan.mode === "replace" || (await isBareSample(staging));
    // `clear` frees the addresses of all rows, except those of the sources in this import.
    const pipeline = createPipeline(run, clears ? sourceNamesOf(plan) : "all");
    const files = await openFiles(run, pipeline);
    if (clears) await staging.clear();
    for (const file of files) await stageFile(run, { staging, pipeline, file });
    await staging.upsertLabels(pipeline.tagLabels());
    // The report outlives the pipeline, so the slugs and spellings can be collected before the index is built.
    report = pipeline.report(null);
    refuseIfWrong(plan, report);
  };
  const cause = `import ${plan.files.map(({ path }) => path.split(/[/\\]/).at(-1)).join(", ")}`.slice(0, 200);
  try {
    const publication = await opened.directory.publish({ cause, apply }, (step) => progress.step(STEPS[step]));
    progress.end();
    await writeReport(run, publishedAs(report, publication.outcome === "published" ? publication.version.id : null));
    say(context.stderr, sentenceOf(publication));
  } catch (error) {
    progress.end();
    if (error instanceof NotPublished) await writeReport(run, report);
    throw error;
  }
}

const STEPS: Readonly<Record<PublicationStep, string>> = {
  staging: "Staging: validating and storing rows.",
  preparing: "Preparing: building the index of the new version.",
  publishing: "Publishing: switching to the new version.",
  published: "Published.",
  forgetting: FORGETTING,
};

function createPipeline({ plan, at, outlines, opened }: Run, keep: readonly string[] | "all"): Import {
  const { type, format, separator, path, mapping, source, dropBadLocation } = plan;
  const slugs = opened.directory.versions.addresses(keep);
  return createImport({
    type,
    format,
    separator,
    path,
    mapping,
    source,
    dropBadLocation,
    now: new Date(at),
    slugs,
    outlines,
  });
}

/** Source names in the pipeline's order of precedence: option, mapping, file name. */
function sourceNamesOf({ source, mapping, files }: ImportPlan): string[] {
  const named = source?.name ?? mapping?.source?.name;
  return named === undefined ? files.map(({ path }) => path.split(/[/\\]/).at(-1) ?? path) : [named];
}

async function openFiles({ plan, progress, context }: Run, pipeline: Import): Promise<OpenedFile[]> {
  const opened: OpenedFile[] = [];
  for (const { path } of plan.files) {
    const file = await pipeline.open({ path, bytes: counted(path, progress) });
    opened.push(file);
    if (!file.guessed) continue;
    progress.end();
    say(context.stderr, `${path}: no --map given; mapping guessed from the header:`);
    await sayMapping(plan, context, file.mapping);
  }
  return opened;
}

async function* counted(path: string, progress: ImportProgress): AsyncGenerator<Uint8Array> {
  const stream: AsyncIterable<Uint8Array> = createReadStream(path, { highWaterMark: 1 << 18 });
  for await (const bytes of stream) {
    progress.read(bytes.length);
    yield bytes;
  }
}

async function stageFile(
  { progress, at }: Run,
  { staging, pipeline, file }: { staging: Staging; pipeline: Import; file: OpenedFile },
): Promise<void> {
  let waiting: DescribedItem[] = [];
  let enough = FIRST_BATCH;
  let writing = Promise.resolve();
  // Writes one batch while the next is read. Errors surface on the next call.
  const writeBatch = async () => {
    await writing;
    const batch = waiting;
    waiting = [];
    enough = Math.min(enough * 2, LARGEST_BATCH);
    writing = staging.upsertDescribed(batch).then(() => progress.rows(batch.length));
    writing.catch(() => {});
  };
  try {
    for await (const outcomes of pipeline.rows(file)) {
      for (const outcome of outcomes) if (outcome.kind === "accepted") waiting.push(describeItem(outcome.item, at));
      if (waiting.length >= enough) await writeBatch();
    }
    await writeBatch();
    await writing;
  } finally {
    // Undo must not run while a batch may still be written.
    await writing.catch(() => {});
  }
}

function refuseIfWrong(plan: ImportPlan, report: ImportReport): void {
  if (isOverLimit(report.totals, plan.maxRejects)) throw new NotPublished(tooManyRejected(report));
  if (report.totals.accepted === 0) throw new NotPublished("All rows were rejected. Nothing was changed.");
}

function tooManyRejected({ totals }: ImportReport): string {
  return `${totals.rejected} of ${totals.read} rows were rejected, more than --max-rejects allows; the import would not be published.`;
}

function publishedAs(report: ImportReport | null, published: string | null): ImportReport | null {
  return report === null ? null : { ...report, published };
}

async function writeReport({ plan, context }: Run, report: ImportReport | null): Promise<void> {
  if (report === null) return;
  const text = plan.json ? JSON.stringify(report, null, 2) : renderReport(report, widthOf(context.stdout));
  say(context.stdout, text);
  if (plan.report !== undefined) await writeFile(plan.report, `${JSON.stringify(report, null, 2)}\n`);
}

function sentenceOf(publication: Publication): string {
  if (publication.outcome === "unchanged")
    return `No changes: version ${publication.version?.id ?? "(none)"} already has this content.`;
  return `Published version ${publication.version.id}: ${publication.version.items} items.`;
}

async function outlinesForImport({ database }: OpenedStore): Promise<Boundaries | null> {
  const geojson = await readOutlines(database.db);
  const outlines = loadOutlines(geojson === null ? shippedCollection() : JSON.parse(geojson));
  return "issues" in outlines ? null : outlines;
}
