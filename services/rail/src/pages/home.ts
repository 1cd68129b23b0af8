import { railContract } from "@triptych/contracts";
import type { Home, PageLink } from "@triptych/server";

export const RAIL = railContract.title;

const OWN: readonly PageLink[] = [
  { path: "/wallet", label: "Wallet", about: "Balance, transactions, top-ups and token of a wallet." },
  { path: "/verify", label: "Verify", about: "Verify receipts and entry chains in your browser." },
];

export const railHome: Home = {
  links: OWN,
  commands: (url) => [
    {
      say: "Create a wallet with starter credit. The token in the response is shown once.",
      run: `curl -H 'Content-Type: application/json' -d '{"email":"you@example.org"}' "${url}/v1/wallets"`,
    },
    { say: "Show its balance.", run: `curl -H "X-Rail-Wallet: $WALLET_TOKEN" "${url}/v1/wallets/me"` },
    {
      say: "List all transactions, newest first, each with the resulting balance.",
      run: `curl -H "X-Rail-Wallet: $WALLET_TOKEN" "${url}/v1/wallets/me/entries"`,
    },
  ],
};
