/** The lock file: the measured figures, and digests of the data, the model and the answers. */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { canonicalJson } from "@triptych/contracts";
import { isRecord } from "@triptych/util";
import { APIS, type Api, type Labels } from "../deciding/wires.ts";
import type { Tolerance } from "./compare.ts";
import type { Figures, JudgedRow } from "./figures.ts";

export interface Lock {
  readonly object: "calibration_lock";
  readonly version: 1;
  readonly api: Api;
  readonly expert: string | null;
  readonly options: Labels | null;
  readonly max_error: number;
  readonly threshold: number;
  readonly threshold_ci95: readonly (number | null)[];
  readonly error_ci95: readonly [number, number];
  readonly figures: Figures;
  readonly tolerance: Tolerance;
  readonly data: { readonly sha256: string; readonly rows: number };
  readonly model: { readonly name: string; readonly sha256: string };
  /** Digest over texts and answers, without labels. */
  readonly answers: { readonly sha256: string };
}

export async function writeLock(file: string, lock: Lock): Promise<void> {
  await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);
}

/** Throws an Error for a file that is not a lock. */
export async function readLock(file: string): Promise<Lock> {
  const value = parsed(await readFile(file, "utf8"));
  if (!isLock(value)) throw new Error(`${file} is not a lock file of \`triptych router calibrate\`.`);
  return value;
}

function isLock(value: unknown): value is Lock {
  if (!isRecord(value) || value["object"] !== "calibration_lock" || value["version"] !== 1) return false;
  const { api, figures, tolerance, data, model, answers } = value;
  const areNumbers = [value["max_error"], value["threshold"]].every((number) => typeof number === "number");
  const hasParts = [figures, tolerance, data, model, answers].every(isRecord);
  return areNumbers && hasParts && APIS.some((name) => name === api) && hasFigures(figures) && hasTolerance(tolerance);
}

const FIGURES = ["rows", "answered", "wrong", "coverage", "error_rate", "ece", "ece_se"];

function hasFigures(value: unknown): boolean {
  return isRecord(value) && FIGURES.every((name) => typeof value[name] === "number");
}

function hasTolerance(value: unknown): boolean {
  return isRecord(value) && ["error_rate", "coverage", "ece"].every((name) => typeof value[name] === "number");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface AnsweredText {
  readonly text: unknown;
  readonly row: JudgedRow;
}

/** The order matters: only the same rows in the same order give the same digest. */
export function answersDigest(answered: readonly AnsweredText[]): string {
  const hash = createHash("sha256");
  for (const { text, row } of answered) {
    const { choice, confidence, isOffered } = row;
    hash.update(`${canonicalJson([text, choice, confidence, isOffered])}\n`);
  }
  return hash.digest("hex");
}
