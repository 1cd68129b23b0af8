import type { HeadState } from "@triptych/contracts";
import type { RouteHead } from "./engine.ts";

/** Owner of the heads on a router without a gateway; behind a gateway, the owner is a wallet ID. */
export const LOCAL_OWNER = "local";

export function isOwner(name: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

export interface Expert {
  readonly name: string;
  readonly kind: "shipped" | "custom";
  readonly headId: string | null;
  readonly version: number;
  readonly head: RouteHead;
  readonly languages: readonly string[];
  /** Considered when a request names no expert. */
  readonly auto: boolean;
  readonly domain: string | null;
  readonly gate: "floor" | "conformal";
  /** Minimum confidence of the head; null for the server's minimum. */
  readonly floor: number | null;
  readonly accuracy: number | null;
  readonly ece: number | null;
  /** Shadow versions, which are evaluated without affecting the response. */
  readonly shadows: readonly Expert[];
}

/** An existing head of the owner that cannot decide. */
export interface InvalidHead {
  readonly unusable: "head_not_ready" | "trunk_mismatch";
  readonly state: HeadState;
}

export type Found = Expert | InvalidHead | null;

export function isUnusable(found: Found): found is InvalidHead {
  return found !== null && "unusable" in found;
}

export interface Experts {
  /** Finds the live expert with this name, or the owner's head with this ID. */
  find(owner: string, nameOrId: string): Promise<Found>;
  /** The experts considered when a request names none. */
  inPlay(owner: string): Promise<readonly Expert[]>;
  list(owner: string): Promise<readonly Expert[]>;
}

/** The bundled experts only, the same for every owner. */
export function shippedExperts(experts: readonly Expert[]): Experts {
  const byName = new Map(experts.map((expert) => [expert.name, expert]));
  const auto = experts.filter((expert) => expert.auto);
  return {
    find: async (_owner, name) => byName.get(name) ?? null,
    inPlay: async () => auto,
    list: async () => experts,
  };
}
