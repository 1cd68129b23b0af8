/** `remove`: publishes a version without the items of one source. A rollback brings them back. */
import { addJsonOption, addYesOption, confirmOrRefuse, printResult } from "@triptych/terminal";
import type { Command } from "commander";
import type { Publication } from "../domain/publish.ts";
import { publishedSources, type PublishedSource } from "../store/sources.ts";
import { FORGETTING, say, withStore, type CliContext } from "./cli-context.ts";

const SOURCES_LISTED_MAX = 20;

export function addRemoveCommand(directory: Command, context: CliContext): void {
  addYesOption(addJsonOption(directory.command("remove")))
    .description("publish a version without the items of a source; `rollback` brings them back")
    .requiredOption("--source <name>", "name of the source, as in `sources` of its items")
    .action(async ({ source: name }: { source: string }, command: Command) => {
      context.lowerPriority?.();
      await withStore(context, async ({ directory: store, database }) => {
        const published = await store.versions.published();
        if (published === null) throw new Error("Nothing to remove: no version is published yet.");
        const sources = await publishedSources(database, published.number);
        const source = sources.find((entry) => entry.name === name);
        if (source === undefined) throw new Error(unknownSource(name, sources));
        if (sources.length === 1)
          throw new Error(`"${name}" is the only source. Replace it with \`import --mode replace\`.`);
        await confirmOrRefuse(command, `Remove the ${source.items} items of "${name}"?`);
        const publication = await store.publish(
          { cause: `remove ${name}`.slice(0, 200), apply: (staging) => staging.removeSource(name) },
          (step) => {
            if (step === "forgetting") say(context.stderr, `Published. ${FORGETTING}`);
          },
        );
        printRemoval(command, { context, source, publication });
      });
    });
}

interface Removal {
  readonly context: CliContext;
  readonly source: PublishedSource;
  readonly publication: Publication;
}

function printRemoval(command: Command, { context, source, publication }: Removal): void {
  const { version, outcome } = publication;
  say(context.stderr, `Published version ${version?.id ?? ""} without the ${source.items} items of "${source.name}".`);
  printResult(command, context.stdout, {
    json: { version: version?.id ?? null, outcome, source: source.name, removed: source.items },
    text: () => version?.id ?? "",
  });
}

function unknownSource(name: string, sources: readonly PublishedSource[]): string {
  const listed = sources.slice(0, SOURCES_LISTED_MAX).map((source) => `"${source.name}"`);
  const more = sources.length > listed.length ? ` and ${sources.length - listed.length} more` : "";
  return `No published item has the source "${name}"; sources: ${listed.join(", ")}${more}.`;
}
