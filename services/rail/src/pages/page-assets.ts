/** The files behind the wallet page, as data: under which address, from which file. */
import type { PageAsset } from "@triptych/server";

const FILES = [
  "api.js",
  "balance.js",
  "dom.js",
  "entries.js",
  "link.js",
  "receipt.js",
  "token.js",
  "tokens.css",
  "top-up.js",
  "verify-receipt.js",
  "wallet.css",
  "wallet.js",
  "words.js",
] as const;

export function pageAssets(): readonly PageAsset[] {
  return FILES.map((name) => ({ path: `/wallet/${name}`, file: new URL(`./browser/${name}`, import.meta.url) }));
}
