/**
 * Writes accounts a0, a1, … from eight concurrent writers and prints each number after its write resolved. Runs until
 * killed.
 */
import { writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { openDatabase } from "../../src/index.ts";
import { account, migrations, type Tables } from "../tables.ts";

const [, , url = "", prefix = "a"] = process.argv;
const database = await openDatabase<Tables>({ url, schema: "crash", migrations });
let next = 0;

await Promise.all(
  Array.from({ length: 8 }, async () => {
    for (;;) {
      const id = `${prefix}${next}`;
      next += 1;
      await database.transaction(async (tx) => {
        await tx.insertInto("account").values(account(id, 1)).execute();
        await tx.insertInto("movement").values({ account_id: id, amount: 1 }).execute();
      });
      await say(id);
    }
  }),
);

/**
 * Writes synchronously instead of through a stream, because acknowledged numbers must have been written when the
 * process dies. Blocks if the reader is behind.
 */
async function say(line: string): Promise<void> {
  for (;;) {
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      await setImmediate();
    }
  }
}
