/** Opens and migrates a store, prints its migrations, and exits. */
import { openDatabase, sql } from "../../src/index.ts";
import { migrations } from "../tables.ts";

const [, , url = "", schema = ""] = process.argv;
await using database = await openDatabase<unknown>({ url, schema, migrations });
const { rows } = await sql<{ number: number }>`select number from triptych_migration order by number`.execute(
  database.db,
);
process.stdout.write(`${rows.map(({ number }) => number).join(" ")}\n`);
