import type { Gate, HeadState, Rejection, RouteKind } from "@triptych/contracts";

export interface HeadSettings {
  readonly gate: Gate;
  readonly alpha: number;
  readonly minConf: number | null;
  readonly auto: boolean;
  readonly domain: string | null;
  readonly languages: readonly string[];
}

export interface HeadRouteView {
  readonly route: string;
  readonly kind: RouteKind;
  readonly description: string;
  readonly texts: number;
}

export type Figures = Readonly<Record<string, unknown>>;

/** Result of a training or an import; the file is stored by its SHA-256. */
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

/** Counts against the live version since the shadow began. */
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
  /** As requested, until the training ends. */
  readonly routes: readonly HeadRouteView[];
  readonly made: HeadMade | null;
  readonly shadow: ShadowTally;
}

export const NO_TALLY: ShadowTally = { n: 0, agreed: 0, labelled: 0, liveCorrect: 0, shadowCorrect: 0 };
