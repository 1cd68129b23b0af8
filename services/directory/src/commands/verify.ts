/** `verify`: writes nothing except a missing snapshot. */
import { createBillingLedger } from "@triptych/usage-metering";
import { addJsonOption, printResult } from "@triptych/terminal";
import type { Command } from "commander";
import { verifyVersion } from "../domain/verify-version.ts";
import type { StoreEvent } from "../store/directory-store.ts";
import { say, withStore, type OpenedStore, type CliContext } from "./cli-context.ts";

/** Earlier than any usage row. */
const FIRST_DAY = "2000-01-01";

export function addVerifyCommand(directory: Command, context: CliContext): void {
  addJsonOption(directory.command("verify"))
    .description(
      "check the published version's rows against its snapshot and a full scan, and usage rows against their sums",
    )
    .addHelpText("after", "\nExit status: 0 all agree, 1 something differs.")
    .action((_options, command: Command) => {
      const snapshotFaults: string[] = [];
      const report = (event: StoreEvent) => {
        if (event.what === "refused" || event.what === "differs")
          snapshotFaults.push(`the snapshot was ignored: ${event.reason ?? event.what}`);
      };
      return withStore({ ...context, report }, async (opened) => {
        const findings = [
          ...(await verifyData(opened, context)),
          ...snapshotFaults,
          ...(await verifyLedger(opened, context)),
        ];
        if (command.opts()["json"] === true || findings.length > 0)
          printResult(command, context.stdout, {
            json: { valid: findings.length === 0, findings },
            text: () => findings.join("\n"),
          });
        if (findings.length > 0) throw new Error(`Found ${findings.length} differences.`);
        say(context.stderr, "All agree.");
      });
    });
}

async function verifyData({ directory }: OpenedStore, { stderr }: CliContext): Promise<readonly string[]> {
  const { versions, engine } = directory;
  const version = await versions.published();
  if (version === null) {
    say(stderr, "No version is published yet.");
    return [];
  }
  const open = await engine.open(version);
  try {
    const labels = await versions.labels(version.number);
    const { items, questions, findings } = await verifyVersion({
      version,
      labels,
      items: () => versions.items(version.number),
      catalogue: open.catalogue,
    });
    say(
      stderr,
      `Version ${version.id}: compared ${items} items with the ${engine.name} engine, and ${questions} queries with a full scan.`,
    );
    return findings;
  } finally {
    await open.close();
  }
}

async function verifyLedger({ database }: OpenedStore, { now, random }: CliContext): Promise<readonly string[]> {
  const ledger = createBillingLedger({ database, service: "directory", clock: now, random });
  const differences = await ledger.verify(FIRST_DAY, new Date(now()).toISOString().slice(0, 10));
  return differences.map(
    ({ keyId, day, requests, items }) =>
      `usage of ${keyId} on ${day}: rows and sums differ by ${requests} requests, ${items} items`,
  );
}
