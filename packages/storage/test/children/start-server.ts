/** Starts a PostgreSQL server, prints its folder, and waits to be killed. */
import { startPostgres } from "../../src/testing/index.ts";

const server = await startPostgres({ durable: false });
const url = new URL(await server.createDatabase());
process.stdout.write(`${url.searchParams.get("host") ?? ""}\n`);
setInterval(() => undefined, 60_000);
