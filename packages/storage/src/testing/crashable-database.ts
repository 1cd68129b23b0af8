/**
 * A database whose process dies at a chosen step: before a statement, or right after a commit. Later statements do
 * not reach the store until it is restarted, and fail with an unrecognized error.
 */
import { type KyselyPlugin, RawNode, type RootOperationNode } from "kysely";
import type { Database } from "../database.ts";

export interface Fate {
  dieAt(step: number): void;
  revive(): void;
  readonly isDead: boolean;
}

export interface Mortal<Schema> {
  readonly database: Database<Schema>;
  readonly fate: Fate;
}

export function mortalDatabase<Schema>(database: Database<Schema>): Mortal<Schema> {
  let left = Infinity;
  let isDead = false;
  const step = (): void => {
    isDead ||= left <= 0;
    left -= 1;
  };
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      step();
      return isDead ? unanswered(node) : node;
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
    fate: {
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

/** No engine understands it, so it fails like a statement: later, as a rejected promise. */
function unanswered(node: RootOperationNode): RootOperationNode {
  if (node.kind === "RawNode") return RawNode.createWithSql(DEAD);
  return { ...node, endModifiers: [RawNode.createWithSql(DEAD)] } as RootOperationNode;
}
