/**
 * `verify`: checks that the served data equals the published rows, and that usage sums match their rows. Writes nothing
 * but a missing snapshot.
 */
import { createBooks } from "@triptych/metering";
import type { Command } from "commander";
import { verifyEdition } from "../domain/verify-version.ts";
import type { StoreEvent } from "../store/directory-store.ts";
import { say, withStore, type Opened, type Surroundings } from "./cli-context.ts";

/** Earlier than any usage row. */
const FIRST_DAY = "2000-01-01";

export function addVerifyCommand(directory: Command, surroundings: Surroundings): void {
  directory
    .command("verify")
    .description(
      "check the published version's rows against its snapshot and a full scan, and usage rows against their sums",
    )
    .addHelpText("after", "\nExit status: 0 all agree, 1 something differs.")
    .action(() => {
      const snapshotFaults: string[] = [];
      const report = (event: StoreEvent) => {
        if (event.what === "refused" || event.what === "differs")
          snapshotFaults.push(`the snapshot was ignored: ${event.reason ?? event.what}`);
      };
      return withStore({ ...surroundings, report }, async (opened) => {
        const findings = [
          ...(await verifyData(opened, surroundings)),
          ...snapshotFaults,
          ...(await verifyBooks(opened, surroundings)),
        ];
        for (const finding of findings) say(surroundings.stdout, finding);
        if (findings.length > 0) throw new Error(`Found ${findings.length} differences.`);
        say(surroundings.stderr, "All agree.");
      });
    });
}

async function verifyData({ directory }: Opened, { stderr }: Surroundings): Promise<readonly string[]> {
  const { editions, engine } = directory;
  const edition = await editions.published();
  if (edition === null) {
    say(stderr, "No version is published yet.");
    return [];
  }
  const open = await engine.open(edition);
  try {
    const labels = await editions.labels(edition.number);
    const { items, questions, findings } = await verifyEdition({
      edition,
      labels,
      items: () => editions.items(edition.number),
      catalogue: open.catalogue,
    });
    say(
      stderr,
      `Version ${edition.id}: compared ${items} items with the ${engine.name} engine, and ${questions} queries with a full scan.`,
    );
    return findings;
  } finally {
    await open.close();
  }
}

async function verifyBooks({ database }: Opened, { now, random }: Surroundings): Promise<readonly string[]> {
  const books = createBooks({ database, service: "directory", clock: now, random });
  const differences = await books.verify(FIRST_DAY, new Date(now()).toISOString().slice(0, 10));
  return differences.map(
    ({ keyId, day, requests, items }) =>
      `usage of ${keyId} on ${day}: rows and sums differ by ${requests} requests, ${items} items`,
  );
}
