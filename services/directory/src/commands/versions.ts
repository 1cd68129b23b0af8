/** A rollback publishes the old content under a new number, so version numbers only rise. */
import {
  addJsonOption,
  addYesOption,
  confirmOrRefuse,
  printResult,
  renderTable,
  timeText,
  widthOf,
} from "@triptych/terminal";
import type { Command } from "commander";
import { rollbackTo } from "../domain/publish.ts";
import { FORGETTING, say, withStore, type CliContext } from "./cli-context.ts";

export function addVersionCommands(directory: Command, context: CliContext): void {
  const { stdout, stderr } = context;
  addJsonOption(directory.command("versions"))
    .description("list the stored versions, newest first; the first one is served")
    .action((_options, command: Command) =>
      withStore(context, async ({ directory: store }) => {
        const versions = await store.versions.versions();
        const heads = ["version", "published", "items", "by"];
        const rows = versions.map(({ id, publishedAt, items, cause }) => [id, timeText(publishedAt), items, cause]);
        printResult(command, stdout, {
          json: versions.map(({ id, publishedAt, items, cause }) => ({
            version: id,
            published_at: new Date(publishedAt).toISOString(),
            items,
            cause,
          })),
          text: () =>
            rows.length === 0
              ? "No version is published yet."
              : renderTable({ heads, rows, shrink: ["by"] }, widthOf(stdout)),
        });
      }),
    );

  addYesOption(addJsonOption(directory.command("rollback")))
    .description("publish the content of a stored version again")
    .argument("<version>", "version ID or number, see `versions`")
    .action((selector: string, _options, command: Command) => {
      context.lowerPriority?.();
      return withStore(context, async ({ directory: store }) => {
        const versions = await store.versions.versions();
        const target = versions.find(({ id, number }) => id === selector || String(number) === selector);
        if (target === undefined) {
          const available = versions.map(({ id }) => id).join(", ");
          throw new Error(
            `Version ${selector} is not stored; stored versions: ${available === "" ? "none" : available}.`,
          );
        }
        await confirmOrRefuse(command, `Replace the published version by the content of ${target.id}?`);
        const publication = await store.publish(rollbackTo(target), (step) => {
          if (step === "forgetting") say(stderr, `Published. ${FORGETTING}`);
        });
        const { version } = publication;
        say(
          stderr,
          publication.outcome === "unchanged"
            ? `No changes: version ${version?.id ?? ""} already has this content.`
            : `Published version ${publication.version.id} with the content of ${target.id}.`,
        );
        printResult(command, stdout, {
          json: { version: version?.id ?? null, content_of: target.id, outcome: publication.outcome },
          text: () => version?.id ?? "",
        });
      });
    });
}
