/**
 * Converts PostgreSQL values to the types that SQLite returns: 8-byte integers and exact sums become numbers (values
 * beyond 2^53 throw), and bytes become plain Uint8Arrays. Portable stores use no other types.
 */
import { types } from "pg";

const INT8 = 20;
const NUMERIC = 1700;
const BYTEA = 17;

export const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [INT8]: toSafeNumber,
  [NUMERIC]: toSafeNumber,
};

/** Type parsers for one `pg` client, which take precedence over the driver's. Changes no global state. */
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
