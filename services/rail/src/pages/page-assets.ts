/** The files behind the wallet page, as data: under which address, from which file. */
import { PAGE_TOKENS, type PageAsset } from "@triptych/server";

const FILES = [
  "api.js",
  "balance.js",
  "dom.js",
  "entries.js",
  "link.js",
  "receipt.js",
  "token.js",
  "top-up.js",
  "verify-receipt.js",
  "wallet.css",
  "wallet.js",
  "words.js",
] as const;

export function pageAssets(): readonly PageAsset[] {
  const own = FILES.map((name) => ({ path: `/wallet/${name}`, file: new URL(`./browser/${name}`, import.meta.url) }));
  return [...own, { path: "/wallet/tokens.css", file: PAGE_TOKENS }];
}
