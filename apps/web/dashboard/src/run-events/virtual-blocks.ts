/**
 * The rows of a bus in fixed-size blocks: one list for all rows, and one per role. A full block never changes, and a changed block is a
 * new object, so that only new rows render.
 */
import type { BusRole } from "@triptych/contracts/plain";
import type { BusMessage } from "@triptych/contracts";
import { lanesOf, rowOf, type Row } from "./rows.ts";

/** About one screen. Smaller blocks would be too many, larger ones would render invisible rows. */
export const BLOCK_ROWS = 20;

export interface Block {
  /** Key of its first row, stable. */
  readonly key: number;
  /** Every block except the last has `BLOCK_ROWS` rows. */
  readonly rows: readonly Row[];
}

export interface VirtualBlockList {
  readonly blocks: readonly Block[];
  readonly count: number;
  /** Indexes of error rows, ascending. */
  readonly errors: readonly number[];
}

export interface VirtualBlocks {
  readonly all: VirtualBlockList;
  of(role: BusRole): VirtualBlockList;
  /** Roles with messages, by lane; a new list for each addition. */
  readonly lanes: readonly BusRole[];
  readonly messageCounts: ReadonlyMap<BusRole, number>;
  add(message: BusMessage): void;
}

export function createVirtualBlocks(): VirtualBlocks {
  const all = createBlockList();
  const byRole = new Map<BusRole, GrowingBlockList>();
  const messageCounts = new Map<BusRole, number>();
  let lanes: readonly BusRole[] = [];
  let last: Row | undefined;

  function of(role: BusRole): GrowingBlockList {
    const existing = byRole.get(role);
    if (existing !== undefined) return existing;
    const made = createBlockList();
    byRole.set(role, made);
    return made;
  }

  return {
    all,
    of,
    messageCounts,
    get lanes() {
      return lanes;
    },
    add(message) {
      const { role } = message.from;
      const { row, isGrown } = rowOf(message, last);
      // The last row of all is the last of its role too.
      for (const blockList of [all, of(role)])
        if (isGrown) blockList.replaceLast(row);
        else blockList.push(row);
      last = row;
      messageCounts.set(role, (messageCounts.get(role) ?? 0) + 1);
      if (messageCounts.size > lanes.length) lanes = lanesOf(messageCounts.keys());
    },
  };
}

interface GrowingBlockList extends VirtualBlockList {
  push(row: Row): void;
  replaceLast(row: Row): void;
}

function createBlockList(): GrowingBlockList {
  const blocks: Block[] = [];
  const errors: number[] = [];
  let count = 0;

  function note(row: Row): void {
    if (row.isError && errors.at(-1) !== count - 1) errors.push(count - 1);
  }

  return {
    blocks,
    errors,
    get count() {
      return count;
    },
    push(row) {
      const last = blocks.at(-1);
      if (last === undefined || last.rows.length === BLOCK_ROWS) blocks.push({ key: row.key, rows: [row] });
      else blocks[blocks.length - 1] = { key: last.key, rows: [...last.rows, row] };
      count++;
      note(row);
    },
    replaceLast(row) {
      const last = blocks[blocks.length - 1];
      blocks[blocks.length - 1] = { key: last.key, rows: [...last.rows.slice(0, -1), row] };
      note(row);
    },
  };
}
