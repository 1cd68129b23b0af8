/**
 * Format: `<prefix><26 random symbols>_<7 symbols of CRC-32>`. With 130 random bits, a plain SHA-256 is enough for
 * storage. The checksum detects mistyped keys without a database lookup, and lets secret scanners recognize leaked
 * keys.
 */
import { hash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { encodeBase32, isSymbols, symbolsOfNumber, type RandomSource } from "@triptych/ids";

/** A readable key prefix (`dir_live_`, `pnl_`), and whether such keys are test keys. */
export interface KeyForm {
  readonly prefix: string;
  readonly test: boolean;
}

export function liveAndTest(service: string): readonly KeyForm[] {
  return [
    { prefix: `${service}_live_`, test: false },
    { prefix: `${service}_test_`, test: true },
  ];
}

const RANDOM_SYMBOLS = 26;
const CHECK_SYMBOLS = 7;

/** A new secret. It is shown once; store only its `hashKey`. */
export function generateKey(form: KeyForm, random: RandomSource): string {
  const body = form.prefix + encodeBase32(random(RANDOM_SYMBOLS));
  return `${body}_${checksum(body)}`;
}

export interface ParsedKey {
  readonly form: KeyForm;
  readonly hash: string;
}

/** Undefined if the form or the checksum is wrong. */
export function parseKey(text: string, forms: readonly KeyForm[]): ParsedKey | undefined {
  const form = formOf(text, forms);
  if (form === undefined) return undefined;

  const bodyLength = form.prefix.length + RANDOM_SYMBOLS;
  const body = text.slice(0, bodyLength);
  if (!isSymbols(body.slice(form.prefix.length)) || text.slice(bodyLength) !== `_${checksum(body)}`) return undefined;

  return { form, hash: hashKey(text) };
}

/** Finds the form by prefix and length only, without the checksum. Enough if a lookup by hash is cheap. */
export function formOf(text: string, forms: readonly KeyForm[]): KeyForm | undefined {
  return forms.find(
    ({ prefix }) => text.length === prefix.length + RANDOM_SYMBOLS + 1 + CHECK_SYMBOLS && text.startsWith(prefix),
  );
}

/** SHA-256 in hex: 64 characters, the same in every store. */
export function hashKey(text: string): string {
  return hash("sha256", text, "hex");
}

/** Token that the services of one installation use to call each other. */
export const SERVICE_FORM: KeyForm = { prefix: "rail_svc_", test: false };

/** Generates and validates the content of a file that contains one key. */
export function keyText(form: KeyForm, random: RandomSource) {
  return {
    make: () => generateKey(form, random),
    isWhole: (text: string) => parseKey(text, [form]) !== undefined,
  };
}

/** Compares in constant time. Only the length of the token can be observed, which is not secret. */
export function timingSafeMatcher(secret: string): (token: string) => boolean {
  const expected = Buffer.from(secret);
  return (token) => {
    const received = Buffer.from(token);
    return received.length === expected.length && timingSafeEqual(received, expected);
  };
}

function checksum(body: string): string {
  return symbolsOfNumber(crc32(body), CHECK_SYMBOLS);
}
