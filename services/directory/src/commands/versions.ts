/** `versions` and `rollback`. A rollback publishes the old content under a new number, so version numbers only rise. */
import { renderTable, timeText } from "@triptych/server";
import type { Command } from "commander";
import { rollbackTo } from "../domain/publish.ts";
import { FORGETTING, refuseUse, say, widthOf, withStore, type Surroundings } from "./cli-context.ts";

export function addVersionCommands(directory: Command, surroundings: Surroundings): void {
  const { stdout, stderr } = surroundings;
  directory
    .command("versions")
    .description("list the stored versions, newest first; the first one is served")
    .action(() =>
      withStore(surroundings, async ({ directory: store }) => {
        const versions = await store.editions.versions();
        const heads = ["version", "published", "items", "by"];
        const rows = versions.map(({ id, publishedAt, items, cause }) => [id, timeText(publishedAt), items, cause]);
        say(
          stdout,
          rows.length === 0
            ? "No version is published yet."
            : renderTable({ heads, rows, shrink: ["by"] }, widthOf(stdout)),
        );
      }),
    );

  directory
    .command("rollback")
    .description("publish the content of a stored version again")
    .argument("<version>", "version ID or number, see `versions`")
    .action((wanted: string, _options, command: Command) => {
      surroundings.yieldToOthers?.();
      return withStore(surroundings, async ({ directory: store }) => {
        const versions = await store.editions.versions();
        const target = versions.find(({ id, number }) => id === wanted || String(number) === wanted);
        if (target === undefined) {
          const kept = versions.map(({ id }) => id).join(", ");
          return refuseUse(command, `version ${wanted} is not stored; stored versions: ${kept === "" ? "none" : kept}`);
        }
        const publication = await store.publish(rollbackTo(target), (step) => {
          if (step === "forgetting") say(stderr, `Published. ${FORGETTING}`);
        });
        const { edition } = publication;
        say(
          stderr,
          publication.outcome === "unchanged"
            ? `No changes: version ${edition?.id ?? ""} already has this content.`
            : `Published version ${publication.edition.id} with the content of ${target.id}.`,
        );
        say(stdout, edition?.id ?? "");
      });
    });
}
