/**
 * File format of noul, score and domain (TPAX): the header names the kind and contains all numbers except the trunk
 * weights.
 */
import { ArtifactError } from "../artifact/artifact-error.ts";
import type { Json } from "../artifact/header-values.ts";
import { readArtifact, writeArtifact, type ReadArtifact } from "../artifact/container.ts";
import { listIn, numberIn, numbersIn, textIn } from "../artifact/header-values.ts";
import type { Trunk } from "../trunk/trunk.ts";
import type { Linear } from "./linear.ts";

export type SignalsKind = "noul" | "score" | "domain";
type Header = ReadArtifact["header"];

const BODY = 1;

export function writeSignals(kind: SignalsKind, trunk: string, header: Header, body: Uint8Array): Uint8Array {
  return writeArtifact({ magic: "TPAX", header: { ...header, kind, trunk }, sections: new Map([[BODY, body]]) });
}

/** Throws an ArtifactError: `wrong_kind` for another kind of model, `trunk_mismatch` for another trunk. */
export function readSignals(
  bytes: Uint8Array,
  kind: SignalsKind,
  trunk: string,
): { readonly sha256: string; readonly header: Header; readonly body: Uint8Array } {
  const { header, sections, sha256 } = readArtifact(bytes, "TPAX");
  const found = textIn(header, "kind");
  if (found !== kind)
    throw new ArtifactError("wrong_kind", `This is a model of kind "${found}", but "${kind}" is required.`);
  const named = textIn(header, "trunk");
  if (named !== trunk)
    throw new ArtifactError(
      "trunk_mismatch",
      `The ${kind} model was trained on trunk ${named.slice(0, 12)}, but this engine has ${trunk.slice(0, 12)}. Train it again.`,
    );
  const body = sections.get(BODY);
  if (body === undefined) throw new ArtifactError("bad_length", `The ${kind} model has no body.`);
  return { sha256, header, body };
}

export function linearHeader({ weights, bias }: Linear, signals: readonly string[]): { readonly [name: string]: Json } {
  return { signals, weights, bias };
}

export function linearBody(...linears: readonly Linear[]): Uint8Array {
  return new Uint8Array(Float32Array.from(linears.flatMap(({ direction }) => [...direction])).buffer);
}

export function readLinear(
  { header, body }: { readonly header: Json | undefined; readonly body: Uint8Array },
  trunk: Trunk,
  signals: readonly string[],
): Linear {
  if (listIn(header, "signals").join() !== signals.join())
    throw new ArtifactError("bad_header", "The model was trained with other signals.");
  if (body.length !== 4 * trunk.dims)
    throw new ArtifactError("bad_length", `The model must have ${trunk.dims} trunk weights.`);
  const direction = Float64Array.from(new Float32Array(body.buffer, body.byteOffset, trunk.dims));
  if (!direction.every(Number.isFinite)) throw new ArtifactError("bad_header", "A trunk weight is not a number.");
  return { direction, weights: numbersIn(header, "weights", signals.length), bias: numberIn(header, "bias") };
}
