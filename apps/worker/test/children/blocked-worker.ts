/** Opens a connection in its thread, then blocks the main thread until a byte arrives on stdin. */
import { readSync } from "node:fs";
import { connectInThread } from "../../src/connection/connection-worker.ts";

const [panel, key, folder] = process.argv.slice(2);
const line = connectInThread(
  {
    panel,
    proxy: null,
    key,
    greeting: {
      name: "blocked",
      version: "0",
      slots: 1,
      isolation: "worktree",
      os: "test",
      agents: [],
      workerId: null,
      process: "p1",
      embedded: false,
      canCheck: true,
    },
    status: { holding: [{ run_id: "run_1", epoch: 1, spooled_to: 0 }], checking: [], freeSlots: 0 },
    folder,
  },
  (event) => {
    if (event.kind !== "frame") return;
    process.stdout.write("blocked\n");
    readSync(0, Buffer.alloc(1));
    void line.close();
  },
);
