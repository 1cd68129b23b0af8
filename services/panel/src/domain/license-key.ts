/** A license key: `lic_`, 43 random base62 digits (256 bits), 6 digits of the CRC-32 of the preceding text. */
import { crc32 } from "node:zlib";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_DIGITS = 43;
const CHECK_DIGITS = 6;
/** The largest multiple of 62 in a byte: larger bytes are discarded, so that every digit is equally likely. */
const UNBIASED_BYTES = 248;

export function mintLicenseKey(random: (count: number) => Uint8Array): string {
  let digits = "";
  while (digits.length < RANDOM_DIGITS)
    for (const byte of random(64))
      if (byte < UNBIASED_BYTES && digits.length < RANDOM_DIGITS) digits += DIGITS.charAt(byte % 62);
  const body = `lic_${digits}`;
  return body + checkOf(body);
}

function checkOf(body: string): string {
  let text = "";
  for (let rest = crc32(body), index = 0; index < CHECK_DIGITS; index++, rest = Math.floor(rest / 62))
    text = DIGITS.charAt(rest % 62) + text;
  return text;
}
