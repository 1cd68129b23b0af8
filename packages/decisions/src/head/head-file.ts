/** File format of a head: dense part, sparse part, calibration, and the card data in the header. */
import { ArtifactError } from "../artifact/artifact-error.ts";
import { type Json, listIn, logisticIn, memberOf, numberIn, riskIn, textIn } from "../artifact/header-values.ts";
import { readArtifact, writeArtifact } from "../artifact/container.ts";
import { CONFIDENCE_WIDTH } from "../calibration/confidence.ts";
import type { Logistic } from "../calibration/logistic.ts";
import type { RiskPoint } from "../calibration/risk.ts";
import { LEXICON, type Lexicon } from "./lexical.ts";
import { STEM_LEXICON } from "./lexical-stems.ts";
import { LOGIT_SCOPE_WIDTH } from "./logits.ts";
import { BLOOM_BYTES_MAX, REFERENCE_WIDTH, type ScopeReference } from "./scope-reference.ts";
import { decodeSparse, encodeSparse, type SparseWeights } from "./sparse-codec.ts";

export type RouteKind = "tool" | "chat" | "escalate";

export interface HeadRoute {
  readonly route: string;
  readonly kind: RouteKind;
  readonly description: string;
  readonly texts: number;
}

export interface Calibration {
  readonly revision: number;
  readonly temperature: number;
  readonly confidence: Logistic;
  readonly scope: Logistic | null;
  /** The temperature that the scope map was fitted with, if the temperature was refitted later. */
  readonly scopeTemperature?: number;
  /** Minimum scope probability for a route to fit; null without out-of-scope examples. */
  readonly scopeFloor: number | null;
  readonly alpha: number;
  readonly qhat: number;
  readonly risk: readonly RiskPoint[];
}

export interface HeadContent {
  readonly name: string;
  readonly trunk: string;
  readonly dims: number;
  readonly routes: readonly HeadRoute[];
  readonly dense: { readonly cells: Int8Array; readonly scales: Float32Array; readonly bias: Float32Array };
  readonly plus: SparseWeights | null;
  /** How the sparse part turns texts into features. */
  readonly lexicon: Lexicon;
  /** Null in files of format 1, which detect scope by the logits. */
  readonly reference: ScopeReference | null;
  readonly calibration: Calibration;
  readonly card: { readonly [name: string]: Json };
}

const DENSE = 1;
const DENSE_FIXED = 64;
const ROUTES_MOST = 255;
const PLUS = 2;
const REFERENCE_CELLS = 3;
const REFERENCE_SCALES = 4;
const REFERENCE_WORDS = 5;
/** Scope features from the logits, and lexical features of stems. */
const LOGIT_SCOPE_FORMAT = 1;
/** Scope features from a reference, and lexical features of words and character n-grams. */
const FORMAT = 2;
/** Format 2 with lexical features of stems. */
const STEM_FORMAT = 3;

export function writeHead(head: HeadContent): Uint8Array {
  const { cells, scales, bias } = head.dense;
  const dense = new Uint8Array(cells.length + 8 * scales.length);
  dense.set(new Uint8Array(cells.buffer, cells.byteOffset, cells.length), 0);
  dense.set(new Uint8Array(scales.buffer, scales.byteOffset, 4 * scales.length), cells.length);
  dense.set(new Uint8Array(bias.buffer, bias.byteOffset, 4 * bias.length), cells.length + 4 * scales.length);
  const sections = new Map<number, Uint8Array>([[DENSE, dense]]);
  if (head.plus !== null) sections.set(PLUS, encodeSparse(head.plus, head.routes.length));
  if (head.reference !== null) {
    const { cells, scales, words } = head.reference;
    sections.set(REFERENCE_CELLS, new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength));
    sections.set(REFERENCE_SCALES, new Uint8Array(scales.buffer, scales.byteOffset, scales.byteLength));
    sections.set(REFERENCE_WORDS, words);
  }
  const { name, trunk, dims, routes, calibration, card } = head;
  const newer = head.lexicon === STEM_LEXICON ? STEM_FORMAT : FORMAT;
  const version = head.reference === null ? LOGIT_SCOPE_FORMAT : newer;
  const header = { kind: "head", name, trunk, dims, routes, calibration, card };
  // The cast is safe: these types contain nothing that JSON cannot express (undefined, functions).
  return writeArtifact({
    magic: "TPHD",
    version,
    header: header as unknown as { readonly [name: string]: Json },
    sections,
  });
}

export interface ReadHead extends HeadContent {
  readonly sha256: string;
  readonly denseBytes: number;
  readonly plusBytes: number;
}

/** Throws an ArtifactError; `trunk_mismatch` if the head belongs to another trunk. */
export function readHead(bytes: Uint8Array, trunk: string): ReadHead {
  const { header, sections, sha256, version } = readArtifact(bytes, "TPHD");
  const hasLogitScope = version === LOGIT_SCOPE_FORMAT;
  if (textIn(header, "kind") !== "head") throw new ArtifactError("bad_header", "The header does not describe a head.");
  const head = {
    name: textIn(header, "name"),
    trunk: textIn(header, "trunk"),
    dims: numberIn(header, "dims", { above: 0 }),
    routes: listIn(header, "routes", ROUTES_MOST).map(routeOf),
    calibration: calibrationOf(memberOf(header, "calibration"), hasLogitScope ? LOGIT_SCOPE_WIDTH : REFERENCE_WIDTH),
    card: cardOf(memberOf(header, "card")),
  };
  if (head.trunk !== trunk)
    throw new ArtifactError(
      "trunk_mismatch",
      `The head was trained on trunk ${head.trunk.slice(0, 12)}, but this engine has ${trunk.slice(0, 12)}. Train it again.`,
    );
  const classes = head.routes.length;
  const dense = sections.get(DENSE);
  if (dense?.length !== classes * (head.dims + 8))
    throw new ArtifactError("bad_length", `The dense part does not match ${classes} routes.`);
  const sparse = sections.get(PLUS);
  const plus = sparse === undefined ? null : decodeSparse(sparse, classes);
  if (sparse !== undefined && plus === null)
    throw new ArtifactError("bad_length", "The sparse part is truncated or references a missing route.");
  const cells = classes * head.dims;
  return {
    ...head,
    plus,
    reference: hasLogitScope ? null : referenceOf(sections, { classes, dims: head.dims }),
    lexicon: version === FORMAT ? LEXICON : STEM_LEXICON,
    sha256,
    denseBytes: DENSE_FIXED + dense.length,
    plusBytes: sparse?.length ?? 0,
    dense: {
      cells: new Int8Array(dense.buffer, 0, cells),
      scales: new Float32Array(dense.buffer.slice(cells, cells + 4 * classes)),
      bias: new Float32Array(dense.buffer.slice(cells + 4 * classes)),
    },
  };
}

function referenceOf(
  sections: ReadonlyMap<number, Uint8Array>,
  { classes, dims }: { readonly classes: number; readonly dims: number },
): ScopeReference {
  const cells = sections.get(REFERENCE_CELLS);
  const scales = sections.get(REFERENCE_SCALES);
  const words = sections.get(REFERENCE_WORDS);
  if (cells?.length !== classes * dims || scales?.length !== 4 * classes)
    throw new ArtifactError("bad_length", `The scope part does not match ${classes} routes.`);
  if (words === undefined || words.length === 0 || words.length > BLOOM_BYTES_MAX)
    throw new ArtifactError("bad_length", "The words of the scope part are missing or too many.");
  return { cells: new Int8Array(cells.buffer), scales: new Float32Array(scales.buffer), words };
}

function routeOf(value: unknown): HeadRoute {
  const kind = textIn(value, "kind");
  if (kind !== "tool" && kind !== "chat" && kind !== "escalate")
    throw new ArtifactError("bad_header", "Invalid header: the kind of a route must be tool, chat or escalate.");
  return {
    route: textIn(value, "route"),
    kind,
    description: textIn(value, "description"),
    texts: numberIn(value, "texts"),
  };
}

function calibrationOf(value: unknown, scopeWidth: number): Calibration {
  const scope = memberOf(value, "scope");
  const scopeFloor = memberOf(value, "scopeFloor");
  const isRefitted = typeof value === "object" && value !== null && Object.hasOwn(value, "scopeTemperature");
  return {
    revision: numberIn(value, "revision"),
    temperature: numberIn(value, "temperature", { above: 0 }),
    confidence: logisticIn(value, "confidence", CONFIDENCE_WIDTH),
    scope: scope === null ? null : logisticIn(value, "scope", scopeWidth),
    scopeFloor: scopeFloor === null ? null : numberIn(value, "scopeFloor"),
    ...(isRefitted && { scopeTemperature: numberIn(value, "scopeTemperature", { above: 0 }) }),
    alpha: numberIn(value, "alpha", { above: 0, most: 1 }),
    qhat: numberIn(value, "qhat", { most: 1 }),
    risk: riskIn(value, "risk"),
  };
}

function cardOf(value: unknown): HeadContent["card"] {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ArtifactError("bad_header", "Invalid header: the card must be an object.");
  // Parsed from JSON, so it contains nothing else.
  return value as HeadContent["card"];
}
