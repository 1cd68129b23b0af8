import type { HeadState } from "@triptych/contracts";
import type { RouteHead } from "./engine.ts";

/** Owner of an appliance's heads; behind a gateway, the owner is a wallet id. */
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
  /** Active in requests that name no expert. */
  readonly auto: boolean;
  readonly domain: string | null;
  readonly gate: "floor" | "conformal";
  /** The head's minimum confidence; null uses the server's. */
  readonly floor: number | null;
  readonly accuracy: number | null;
  readonly ece: number | null;
  /** Shadow versions, evaluated without effect on the response. */
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
  /** The live expert of this name, or the head of this id, within this owner's heads. */
  find(owner: string, nameOrId: string): Promise<Found>;
  /** Active experts of requests that name none. */
  inPlay(owner: string): Promise<readonly Expert[]>;
  list(owner: string): Promise<readonly Expert[]>;
}

/** Only the bundled experts, the same for every owner. */
export function shippedExperts(experts: readonly Expert[]): Experts {
  const byName = new Map(experts.map((expert) => [expert.name, expert]));
  const auto = experts.filter((expert) => expert.auto);
  return {
    find: async (_owner, name) => byName.get(name) ?? null,
    inPlay: async () => auto,
    list: async () => experts,
  };
}
