/** `/` of the rail: from an e-mail address to a verified receipt in three calls, and links to its pages. */
import { railContract } from "@triptych/contracts";
import { REFERENCE, type Home, type PageLink } from "@triptych/server";

export const RAIL = railContract.title;

const OWN: readonly PageLink[] = [
  { path: "/wallet", label: "Wallet", about: "What a wallet holds, what moved, topping up, a new token." },
  { path: "/verify", label: "Verify", about: "Is this receipt genuine, is this chain whole? Checked in your browser." },
];

/** In the order of the navigation bar. */
export const PAGES: readonly PageLink[] = [...OWN, REFERENCE];

export const railHome: Home = {
  links: OWN,
  commands: (url) => [
    {
      say: "A wallet of your own, with credit to begin with. The token in the answer is shown this once.",
      run: `curl -H 'Content-Type: application/json' -d '{"email":"you@example.org"}' "${url}/v1/wallets"`,
    },
    { say: "What it holds.", run: `curl -H "X-Rail-Wallet: $WALLET_TOKEN" "${url}/v1/wallets/me"` },
    {
      say: "Every movement, newest first, each with the balance after it.",
      run: `curl -H "X-Rail-Wallet: $WALLET_TOKEN" "${url}/v1/wallets/me/entries"`,
    },
  ],
};
