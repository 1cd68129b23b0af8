import type { PageAsset } from "@triptych/server";

const FILES = [
  "api.js",
  "auto-top-up.js",
  "balance.js",
  "entries.js",
  "link.js",
  "new-token.js",
  "read-entries.js",
  "statement.js",
  "token.js",
  "top-up.js",
  "usage.js",
  "verify-chain.js",
  "verify.js",
  "wallet.css",
  "wallet.js",
  "labels.js",
] as const;

export function pageAssets(): readonly PageAsset[] {
  const verification = new URL(import.meta.resolve("@triptych/client/receipt.js"));
  return [
    ...FILES.map((name) => ({ path: `/wallet/${name}`, file: new URL(`./browser/${name}`, import.meta.url) })),
    { path: "/wallet/verify-receipt.js", file: verification },
  ];
}
