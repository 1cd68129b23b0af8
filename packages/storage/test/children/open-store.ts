/** Opens a store (and so migrates it), says which migrations it holds, and ends. */
import { openDatabase, sql } from "../../src/index.ts";
import { migrations } from "../tables.ts";

const [, , url = "", schema = ""] = process.argv;
await using database = await openDatabase<unknown>({ url, schema, migrations });
const { rows } = await sql<{ number: number }>`select number from triptych_migration order by number`.execute(
  database.db,
);
process.stdout.write(`${rows.map(({ number }) => number).join(" ")}\n`);
