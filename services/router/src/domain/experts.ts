/** Experts: trained heads under the names by which requests ask for them. */
import type { HeadState } from "@triptych/contracts";
import type { RouteHead } from "./engine.ts";

/** Owner of the heads of an appliance; behind the gateway it is the id of a wallet. */
export const LOCAL_OWNER = "local";

/** Whether this can name an owner: the id of a wallet, or the one of an appliance. */
export function isOwner(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

export interface Expert {
  readonly name: string;
  readonly kind: "shipped" | "custom";
  /** `hed_…` of a custom one. */
  readonly headId: string | null;
  readonly version: number;
  readonly head: RouteHead;
  readonly languages: readonly string[];
  /** In play where no expert is named. */
  readonly auto: boolean;
  /** Subject of all its requests, if it has one. */
  readonly domain: string | null;
  readonly gate: "floor" | "conformal";
  /** Its own least confidence; null takes the server's. */
  readonly floor: number | null;
  readonly accuracy: number | null;
  readonly ece: number | null;
  /** Versions that decide beside it, unseen. */
  readonly shadows: readonly Expert[];
}

/** A head of the owner that is there and cannot be asked. */
export interface InvalidHead {
  readonly unusable: "head_not_ready" | "trunk_mismatch";
  readonly state: HeadState;
}

export type Found = Expert | InvalidHead | null;

export function isUnusable(found: Found): found is InvalidHead {
  return found !== null && "unusable" in found;
}

export type Answered<T> = T | Promise<T>;

/** Whoever keeps experts answers at once where it can: a decision takes less time than a turn of the loop. */
export interface Experts {
  /** The live expert of this name, or the head of this id, if this owner may ask it. */
  find(owner: string, nameOrId: string): Answered<Found>;
  /** Those that answer where none is named. */
  inPlay(owner: string): Answered<readonly Expert[]>;
  /** All that this owner may name. */
  list(owner: string): Answered<readonly Expert[]>;
}

/** Only what was shipped, the same for every owner. */
export function shippedExperts(experts: readonly Expert[]): Experts {
  const byName = new Map(experts.map((expert) => [expert.name, expert]));
  const auto = experts.filter((expert) => expert.auto);
  return {
    find: (_owner, name) => byName.get(name) ?? null,
    inPlay: () => auto,
    list: () => experts,
  };
}
