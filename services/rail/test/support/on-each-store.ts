/**
 * Runs the same HTTP tests on SQLite in memory and, in the long form, on PostgreSQL. Conformance suites cover both
 * stores in every run, and `gateway.test.ts` uses both over HTTP.
 */
import { forEachEngine, type EngineName } from "@triptych/storage/testing";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { createRailFixture, type RailFixture, type RailFixtureOptions } from "./create-rail-fixture.ts";

export type CreateRailFixture = (options?: RailFixtureOptions) => Promise<RailFixture>;

const BOTH: readonly EngineName[] = ["SQLite in memory", "PostgreSQL"];

export function onEachStore(title: string, suite: (createRailFixture: CreateRailFixture) => void): void {
  on(process.env["TEST_LONG"] === undefined ? ["SQLite in memory"] : BOTH, title, suite);
}

/** Runs the tests on PostgreSQL in the short form as well. */
export function onBothStores(title: string, suite: (createRailFixture: CreateRailFixture) => void): void {
  on(BOTH, title, suite);
}

function on(
  engines: readonly EngineName[],
  title: string,
  suite: (createRailFixture: CreateRailFixture) => void,
): void {
  forEachEngine<RailTables>(title, { migrations: RAIL_MIGRATIONS, engines }, (open) =>
    suite((options) => createRailFixture({ ...options, open })),
  );
}
