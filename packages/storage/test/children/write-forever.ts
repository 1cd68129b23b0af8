/** Writes accounts a0, a1, … from eight writers at once and says each number once its write is acknowledged. Ends only by force. */
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

/** At once, not through a stream: what was said must be out when the process dies. A listener that is behind is waited for. */
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
