/**
 * Heads of owners: train, list, shadow, promote, delete. The process that accepts a training renews its lease; if the
 * lease expires, any process fails the training. Responses are sent only after the commit.
 */
import type { HeadRecord } from "./head.ts";
import type { HeadFiles, Moved } from "./head-store.ts";
import { passesGate } from "./promotion-gate.ts";
import type { Shadowing } from "./shadow-evaluation.ts";
import { createTrainings, LEASE_MS, removeFile, type Trainings, type TrainingsParts } from "./trainings.ts";

export interface HeadsParts extends TrainingsParts {
  readonly shadowing: Pick<Shadowing, "flush">;
  /** Hex SHA-256 of the engine's trunk. */
  readonly trunk: string;
  readonly cardOf: (bytes: Uint8Array) => string;
}

export type FileRead =
  | { readonly kind: "file"; readonly sha256: string; readonly read: () => Promise<Uint8Array> }
  | { readonly kind: "none" }
  | { readonly kind: "not_ready"; readonly head: HeadRecord };

export interface Heads extends Pick<Trainings, "train" | "judge" | "settled"> {
  find(owner: string, id: string): Promise<HeadRecord | null>;
  list(owner: string): Promise<readonly HeadRecord[]>;
  file(owner: string, id: string): Promise<FileRead>;
  card(bytes: Uint8Array): string;
  shadow(owner: string, id: string, isEnabled: boolean): Promise<Moved | null>;
  promote(owner: string, id: string, how: { readonly isForced: boolean }): Promise<Promotion | null>;
  remove(owner: string, id: string): Promise<boolean>;
  /** Renews the leases of this process and fails trainings with expired ones. */
  watch(): Promise<void>;
}

export type Promotion = Moved | { readonly head: HeadRecord; readonly outcome: "trunk_mismatch" };

export function createHeads(parts: HeadsParts): Heads {
  const { store, files, experts, shadowing, trunk, now } = parts;
  const trainings = createTrainings(parts);
  return {
    ...trainings,
    async find(owner, id) {
      await shadowing.flush();
      return await store.find(owner, id);
    },
    async list(owner) {
      await shadowing.flush();
      return await store.list(owner);
    },
    async file(owner, id) {
      const head = await store.find(owner, id);
      if (head === null) return { kind: "none" };
      const { made, state } = head;
      if (made === null || state === "rejected") return { kind: "not_ready", head };
      const { sha256 } = made;
      return { kind: "file", sha256, read: () => readFile(files, id, sha256) };
    },
    card: (bytes) => parts.cardOf(bytes),
    async shadow(owner, id, isEnabled) {
      await shadowing.flush();
      const moved = await store.move(owner, id, { event: isEnabled ? "shadow_begun" : "shadow_ended" });
      experts.forget(owner);
      return moved;
    },
    async promote(owner, id, { isForced }) {
      await shadowing.flush();
      const head = await store.find(owner, id);
      if (head?.made !== undefined && head.made !== null && head.made.trunk !== trunk)
        return { head, outcome: "trunk_mismatch" };
      // A retired version was live before, so going back to it is always allowed.
      const allows = ({ state, shadow }: HeadRecord) =>
        isForced || state === "live" || state === "retired" || passesGate(shadow);
      const moved = await store.move(owner, id, { event: "promoted", allows });
      experts.forget(owner);
      return moved;
    },
    async remove(owner, id) {
      const removed = await store.remove(owner, id);
      experts.forget(owner);
      if (removed !== null) await removeFile(files, removed);
      return removed !== null;
    },
    async watch() {
      await store.renew(trainings.running(), now() + LEASE_MS);
      await store.giveUp(now());
    },
  };
}

async function readFile(files: Pick<HeadFiles, "get">, headId: string, sha256: string): Promise<Uint8Array> {
  const bytes = await files.get({ headId, sha256 });
  if (bytes === null) throw new Error(`The file of head ${headId} is missing.`);
  return bytes;
}
