/** `/` of the gateway: from no wallet to a paid decision in three calls, and links. */
import { REFERENCE, type Home, type PageLink } from "@triptych/server";

const OWN: readonly PageLink[] = [
  {
    path: "/playground",
    label: "Playground",
    about: "Type something and see what is decided, what it cost, and the receipt for it.",
  },
  { path: "/pricing", label: "Prices", about: "What a decision costs, what is never charged, every limit; as JSON." },
];

export const PAGES: readonly PageLink[] = [...OWN, REFERENCE];

export function gatewayHome(railUrl: string): Home {
  return {
    links: OWN,
    commands: (url) => [
      {
        say: "A wallet, with credit to begin with. The token in the answer is shown this once.",
        run: `curl -H 'Content-Type: application/json' -d '{"email":"you@example.org"}' "${railUrl}/v1/wallets"`,
      },
      {
        say: "A decision, paid for with it. The receipt is in the header X-Rail-Receipt.",
        run: `curl -i -H "X-Rail-Wallet: $WALLET_TOKEN" -H 'Content-Type: application/json' -d '{"state":"I was charged twice, refund me"}' "${url}/v1/route"`,
      },
      { say: "What it costs, and what is never charged.", run: `curl "${url}/pricing"` },
    ],
  };
}
