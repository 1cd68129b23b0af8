/** Validates header values. A file with invalid values is rejected as a whole (`bad_header`). */
import type { Logistic } from "../calibration/logistic.ts";
import { RISK_POINTS_MOST, type RiskPoint } from "../calibration/risk.ts";
import { ArtifactError } from "./artifact-error.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : refuse(name, "is missing");
}

export function listIn(value: unknown, name: string, most = Infinity): readonly unknown[] {
  const list = memberOf(value, name);
  return Array.isArray(list) && list.length <= most ? list : refuse(name, `is not a list of at most ${most}`);
}

export function textIn(value: unknown, name: string): string {
  const text = memberOf(value, name);
  return typeof text === "string" ? text : refuse(name, "is not a text");
}

export function numberIn(value: unknown, name: string, { above = -Infinity, most = Infinity } = {}): number {
  const number = memberOf(value, name);
  return typeof number === "number" && number > above && number <= most && Number.isFinite(number)
    ? number
    : refuse(name, "is not a number in range");
}

export function numbersIn(value: unknown, name: string, length: number): readonly number[] {
  const list = listIn(value, name, length);
  return list.length === length && list.every(isFinite) ? list : refuse(name, `is not a list of ${length} numbers`);
}

export function logisticIn(value: unknown, name: string, width: number): Logistic {
  const logistic = memberOf(value, name);
  return { bias: numberIn(logistic, "bias"), weights: numbersIn(logistic, "weights", width) };
}

export function riskIn(value: unknown, name: string): readonly RiskPoint[] {
  let before: RiskPoint = [Infinity, 0, 0];
  return listIn(value, name, RISK_POINTS_MOST).map((point) => {
    if (!isRiskPoint(point) || point[0] >= before[0] || point[1] <= before[1] || point[2] < before[2])
      return refuse(name, "is not a risk curve");
    return (before = point);
  });
}

function isRiskPoint(value: unknown): value is RiskPoint {
  return Array.isArray(value) && value.length === 3 && value.every(isFinite) && value[2] <= value[1];
}

function isFinite(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function refuse(name: string, what: string): never {
  throw new ArtifactError("bad_header", `Invalid header: "${name}" ${what}.`);
}
