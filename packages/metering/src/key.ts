/**
 * The text of a key: `<prefix><26 symbols of randomness>_<7 symbols of CRC-32>`, the checksum over all that stands before the last
 * underscore. 130 random bits make guessing hopeless, which is why a plain SHA-256 is enough at rest; the checksum lets a
 * mistyped key be refused without touching any store, and lets secret scanners recognise a leaked one.
 */
import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { isSymbols, encodeBase32, symbolsOfNumber } from "./base32.ts";
import type { RandomSource } from "./ulid.ts";

/** One readable beginning of keys (`dir_live_`, `pnl_`), and whether such keys are for tests only. */
export interface KeyForm {
  readonly prefix: string;
  readonly test: boolean;
}

/** The two forms of a service that tells live keys from test keys. */
export function liveAndTest(service: string): readonly KeyForm[] {
  return [
    { prefix: `${service}_live_`, test: false },
    { prefix: `${service}_test_`, test: true },
  ];
}

const RANDOM_SYMBOLS = 26;
const CHECK_SYMBOLS = 7;

/** A new secret. It is shown once; keep only its `hashKey`. */
export function generateKey(form: KeyForm, random: RandomSource): string {
  const body = form.prefix + encodeBase32(random(RANDOM_SYMBOLS));
  return `${body}_${checksum(body)}`;
}

export interface ParsedKey {
  readonly form: KeyForm;
  /** What the store knows the key by. */
  readonly hash: string;
}

/** Reads a key of one of the forms, or undefined when it has another form or its checksum is wrong. */
export function parseKey(text: string, forms: readonly KeyForm[]): ParsedKey | undefined {
  const form = formOf(text, forms);
  if (form === undefined) return undefined;

  const bodyLength = form.prefix.length + RANDOM_SYMBOLS;
  const body = text.slice(0, bodyLength);
  if (!isSymbols(body.slice(form.prefix.length)) || text.slice(bodyLength) !== `_${checksum(body)}`) return undefined;

  return { form, hash: hashKey(text) };
}

/** The form that a text has by its beginning and its length: enough where to look for its hash costs nothing. */
export function formOf(text: string, forms: readonly KeyForm[]): KeyForm | undefined {
  return forms.find(
    ({ prefix }) => text.length === prefix.length + RANDOM_SYMBOLS + 1 + CHECK_SYMBOLS && text.startsWith(prefix),
  );
}

/** SHA-256 in hex: 64 characters, the same in every store. */
export function hashKey(text: string): string {
  return hash("sha256", text, "hex");
}

/** The same in base64url, 43 characters: to find and compare a key that is in memory. */
export function digestKey(text: string): string {
  return hash("sha256", text, "base64url");
}

function checksum(body: string): string {
  return symbolsOfNumber(crc32(body), CHECK_SYMBOLS);
}
