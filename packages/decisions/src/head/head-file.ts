/** A head on disk: dense, plus, calibration, and in the header what its card says. */
import { ArtifactFault } from "../artifact/artifact-fault.ts";
import type { Json } from "../artifact/canonical-json.ts";
import { readArtifact, writeArtifact } from "../artifact/container.ts";
import type { Logistic } from "../calibration/logistic.ts";
import type { RiskPoint } from "../calibration/risk.ts";
import { plusFromBytes, plusToBytes, type Plus } from "./plus-bytes.ts";

export type RouteKind = "tool" | "chat" | "escalate";

export interface HeadRoute {
  readonly route: string;
  readonly kind: RouteKind;
  readonly description: string;
  /** Distinct texts it was learned from. */
  readonly texts: number;
}

export interface Calibration {
  readonly revision: number;
  readonly temperature: number;
  readonly confidence: Logistic;
  readonly scope: Logistic | null;
  /** Temperature under which the scope was fitted, where another has been fitted since. */
  readonly scopeTemperature?: number;
  /** Probability of being in scope below which none of the routes is said to fit; null where nothing out of scope was shown. */
  readonly scopeFloor: number | null;
  readonly alpha: number;
  readonly qhat: number;
  readonly risk: readonly RiskPoint[];
}

export interface HeadContent {
  readonly name: string;
  readonly trunk: string;
  readonly dims: number;
  /** In the order of UTF-16 code units of their names. */
  readonly routes: readonly HeadRoute[];
  readonly dense: { readonly cells: Int8Array; readonly scales: Float32Array; readonly bias: Float32Array };
  readonly plus: Plus | null;
  readonly calibration: Calibration;
  /** The report and the settings it was trained with, for the card. */
  readonly card: { readonly [name: string]: Json };
}

const DENSE = 1;
const PLUS = 2;

export function writeHead(head: HeadContent): Uint8Array {
  const { cells, scales, bias } = head.dense;
  const dense = new Uint8Array(cells.length + 8 * scales.length);
  dense.set(new Uint8Array(cells.buffer, cells.byteOffset, cells.length), 0);
  dense.set(new Uint8Array(scales.buffer, scales.byteOffset, 4 * scales.length), cells.length);
  dense.set(new Uint8Array(bias.buffer, bias.byteOffset, 4 * bias.length), cells.length + 4 * scales.length);
  const sections = new Map<number, Uint8Array>([[DENSE, dense]]);
  if (head.plus !== null) sections.set(PLUS, plusToBytes(head.plus));
  const { name, trunk, dims, routes, calibration, card } = head;
  const header = { kind: "head", name, trunk, dims, routes, calibration, card };
  // Plain data by construction: what JSON does not know (undefined, functions) is in none of these types.
  return writeArtifact({ magic: "TPHD", header: header as unknown as { readonly [name: string]: Json }, sections });
}

/** Throws an ArtifactFault, `trunk_mismatch` when the head stands on another trunk. */
export function readHead(
  bytes: Uint8Array,
  trunk: string,
): HeadContent & { readonly sha256: string; readonly plusBytes: number } {
  const { header, sections, sha256 } = readArtifact(bytes, "TPHD");
  const head = header as unknown as Omit<HeadContent, "dense" | "plus">;
  if (typeof head.trunk !== "string" || typeof head.dims !== "number" || !Array.isArray(head.routes))
    throw new ArtifactFault("bad_header", "The header names no trunk, no dimensions or no routes.");
  if (head.trunk !== trunk)
    throw new ArtifactFault(
      "trunk_mismatch",
      `The head was trained on trunk ${head.trunk.slice(0, 12)}, this engine has ${trunk.slice(0, 12)}. Train it again.`,
    );
  const classes = head.routes.length;
  const dense = sections.get(DENSE);
  if (dense?.length !== classes * (head.dims + 8))
    throw new ArtifactFault("bad_length", `The dense part is not that of ${classes} routes.`);
  const sparse = sections.get(PLUS);
  const plus = sparse === undefined ? null : plusFromBytes(sparse, classes);
  if (sparse !== undefined && plus === null)
    throw new ArtifactFault("bad_length", "The sparse part is cut off or names a route that is not there.");
  const cells = classes * head.dims;
  return {
    ...head,
    plus,
    sha256,
    plusBytes: sparse?.length ?? 0,
    dense: {
      cells: new Int8Array(dense.buffer, 0, cells),
      scales: new Float32Array(dense.buffer.slice(cells, cells + 4 * classes)),
      bias: new Float32Array(dense.buffer.slice(cells + 4 * classes)),
    },
  };
}
