/**
 * A database whose process dies at a chosen step: before a statement, or right after a commit. From then on nothing that the process
 * still tries reaches the store, until it is started again. What it says of itself is only an error that nobody recognises.
 */
import { type KyselyPlugin, RawNode, type RootOperationNode } from "kysely";
import type { Database } from "../database.ts";

export interface Fate {
  /** Lets so many steps pass and dies at the next. */
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

/** No engine understands it, so it fails as statements do: later, as a rejected promise. */
function unanswered(node: RootOperationNode): RootOperationNode {
  if (node.kind === "RawNode") return RawNode.createWithSql(DEAD);
  return { ...node, endModifiers: [RawNode.createWithSql(DEAD)] } as RootOperationNode;
}
