/**
 * A database whose process seems to die at a chosen step: before a statement, or right after a commit. Until it is
 * restarted, later statements fail with an unrecognized error and do not reach the store.
 */
import { type KyselyPlugin, RawNode, type RootOperationNode } from "kysely";
import type { Database } from "../database.ts";

export interface CrashControl {
  dieAt(step: number): void;
  revive(): void;
  readonly isDead: boolean;
}

export interface CrashableDatabase<Schema> {
  readonly database: Database<Schema>;
  readonly crash: CrashControl;
}

export function crashableDatabase<Schema>(database: Database<Schema>): CrashableDatabase<Schema> {
  let left = Infinity;
  let isDead = false;
  const step = (): void => {
    isDead ||= left <= 0;
    left -= 1;
  };
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      step();
      return isDead ? failing(node) : node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  return {
    database: {
      ...database,
      db: database.db.withPlugin(plugin),
      async transaction(work, options) {
        const result = await database.transaction((tx) => work(tx.withPlugin(plugin)), options);
        step();
        if (isDead) throw new Error("the process died after its commit");
        return result;
      },
    },
    crash: {
      dieAt: (at) => void (left = at),
      revive() {
        left = Infinity;
        isDead = false;
      },
      get isDead() {
        return isDead;
      },
    },
  };
}

const DEAD = "the process has died";

/** No engine understands this node, so it fails like a statement: asynchronously, with a rejected promise. */
function failing(node: RootOperationNode): RootOperationNode {
  if (node.kind === "RawNode") return RawNode.createWithSql(DEAD);
  return { ...node, endModifiers: [RawNode.createWithSql(DEAD)] } as RootOperationNode;
}
