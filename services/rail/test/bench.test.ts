/** Runs every part of the benchmark once, without measuring. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { measureAudit, measureCharges, measureRace } from "../bench/core-figures.ts";
import { measureReceipts } from "../bench/receipt-figures.ts";
import { renderRows } from "../bench/report.ts";

test("the benchmark charges, races, audits and signs, and prints a table", async () => {
  const folder = await mkdtemp(join(tmpdir(), "triptych-bench-"));
  try {
    const store = (purpose: string) => ({ name: "SQLite", url: `sqlite:${join(folder, `${purpose}.db`)}`, bar: 1 });
    const rows = [
      ...(await measureCharges({ folder, stores: [store("core")], wallets: 5, rounds: 1, milliseconds: 20 })),
      ...(await measureRace(store("race"), 100)),
      ...(await measureAudit(store("audit"), { wallets: 5, charges: 200 })),
      ...(await measureReceipts({ rounds: 1, count: 64 })),
    ];
    assert.equal(rows.find(({ goal }) => goal === "SQLite: overdraft race")?.measured, "10 x 201, 90 x 402");
    const lines = renderRows(rows).trimEnd().split("\n");
    assert.equal(lines.length, rows.length + 2);
    assert.equal(new Set(lines.map(({ length }) => length)).size, 1);
    assert.doesNotMatch(lines.join("\n"), /NaN|undefined|Infinity/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
