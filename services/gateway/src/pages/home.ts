import type { Home, PageLink } from "@triptych/server";

const OWN: readonly PageLink[] = [
  {
    path: "/playground",
    label: "Playground",
    about: "Enter a text to see the decision, its cost and its receipt.",
  },
  { path: "/pricing", label: "Prices", about: "Prices, free requests and limits as JSON." },
];

export function gatewayHome(railUrl: string): Home {
  return {
    links: OWN,
    commands: (url) => [
      {
        say: "Create a wallet with starter credit. The token in the response is shown once.",
        run: `curl -H 'Content-Type: application/json' -d '{"email":"you@example.org"}' "${railUrl}/v1/wallets"`,
      },
      {
        say: "Request a paid decision. The receipt is in the X-Rail-Receipt header.",
        run: `curl -i -H "X-Rail-Wallet: $WALLET_TOKEN" -H 'Content-Type: application/json' -d '{"state":"I was charged twice, refund me"}' "${url}/v1/route"`,
      },
      { say: "Show the prices and what is never charged.", run: `curl "${url}/pricing"` },
    ],
  };
}
