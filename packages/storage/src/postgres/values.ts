/**
 * Values as they come out of PostgreSQL, brought to what SQLite gives: integers of 8 bytes and exact sums are numbers (and
 * throw beyond 2^53 rather than lie), bytes are plain Uint8Arrays. Every other type keeps its driver's form; by the
 * conventions of a store there is none.
 */
import { types } from "pg";

const INT8 = 20;
const NUMERIC = 1700;
const BYTEA = 17;

export const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: toSafeNumber,
  [NUMERIC]: toSafeNumber,
};

/** For a `pg` client: text parsers of ours before those of the driver. Nothing global is changed. */
export const customTypes = {
  getTypeParser(oid: number, format: "text" | "binary" = "text"): (value: string) => unknown {
    const ours = format === "text" ? parsers[oid] : undefined;
    if (ours !== undefined) return ours;

    const theirs: (value: string) => unknown = types.getTypeParser(oid, format);
    return oid === BYTEA ? (value) => toPlainBytes(theirs(value)) : theirs;
  },
};

function toSafeNumber(text: string): number {
  const number = Number(text);
  const whole = !text.includes(".");
  if (whole && !Number.isSafeInteger(number))
    throw new RangeError(`The integer ${text} is beyond 2^53 and cannot be read exactly.`);
  return number;
}

function toPlainBytes(bytes: unknown): unknown {
  return bytes instanceof Uint8Array ? new Uint8Array(bytes) : bytes;
}
