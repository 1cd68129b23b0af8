/** The same tests of the rail over HTTP on SQLite in memory and on a real PostgreSQL. */
import { forEachEngine } from "@triptych/storage/testing";
import { RAIL_MIGRATIONS } from "../../src/store/migrations.ts";
import type { RailTables } from "../../src/store/tables.ts";
import { openRailScene, type RailScene, type RailSceneOptions } from "./open-rail-scene.ts";

export type OpenScene = (options?: RailSceneOptions) => Promise<RailScene>;

const engines = ["SQLite in memory", "PostgreSQL"] as const;

export function onEachStore(title: string, suite: (openRailScene: OpenScene) => void): void {
  forEachEngine<RailTables>(title, { migrations: RAIL_MIGRATIONS, engines }, (open) =>
    suite((options) => openRailScene({ ...options, open })),
  );
}
