/** A head of an owner as the router keeps it: what was asked for, what became of it, and how it stands beside the live version. */
import type { Gate, HeadState, Rejection, RouteKind } from "@triptych/contracts";

export interface HeadSettings {
  readonly gate: Gate;
  readonly alpha: number;
  /** The head's own floor of confidence; null takes the server's. */
  readonly minConf: number | null;
  readonly auto: boolean;
  readonly domain: string | null;
  readonly languages: readonly string[];
}

export interface HeadRouteView {
  readonly route: string;
  readonly kind: RouteKind;
  readonly description: string;
  /** Distinct texts it is learned from. */
  readonly texts: number;
}

export type Figures = Readonly<Record<string, unknown>>;

/** What a training or an import has made; null in a head until then. The bytes are kept by their SHA-256. */
export interface HeadMade {
  readonly sha256: string;
  readonly trunk: string;
  readonly routes: readonly HeadRouteView[];
  readonly denseBytes: number;
  readonly plusBytes: number;
  readonly revision: number;
  readonly temperature: number;
  readonly qhat: number;
  readonly report: Figures;
}

/** Counted beside the live version since the shadow began. */
export interface ShadowTally {
  readonly n: number;
  readonly agreed: number;
  readonly labelled: number;
  readonly liveCorrect: number;
  readonly shadowCorrect: number;
}

export type HeadReason = Rejection | "interrupted" | "internal";

export interface HeadRecord {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly version: number;
  readonly state: HeadState;
  readonly reason: HeadReason | null;
  readonly createdAt: number;
  readonly trainedAt: number | null;
  readonly trainingMs: number | null;
  readonly settings: HeadSettings;
  /** As asked for, until it is trained. */
  readonly routes: readonly HeadRouteView[];
  readonly made: HeadMade | null;
  readonly shadow: ShadowTally;
}

export const NO_TALLY: ShadowTally = { n: 0, agreed: 0, labelled: 0, liveCorrect: 0, shadowCorrect: 0 };
