import type { ServiceContract } from "../endpoint.ts";
import * as admin from "./admin-endpoints.ts";
import * as adminLedger from "./admin-ledger-endpoints.ts";
import * as service from "./service-endpoints.ts";
import * as wallet from "./wallet-endpoints.ts";

export const railContract: ServiceContract = {
  name: "rail",
  title: "Triptych rail",
  description:
    "Prepaid wallets for decisions: exact balances, exactly-once charges, and a signed receipt for each charge. Receipts form a chain and can be verified offline. Undelivered responses are not billed.",
  version: "1",
  endpoints: [
    ...Object.values(wallet),
    ...Object.values(service),
    ...Object.values(admin),
    ...Object.values(adminLedger),
  ],
  tags: [
    {
      name: "Wallets",
      description: "Open, read, recover and close a wallet.",
      paths: ["/v1/wallets"],
    },
    {
      name: "Ledger",
      description: "Entries, charges, receipts, usage and statements of a wallet.",
      paths: [
        "/v1/wallets/me/entries",
        "/v1/wallets/me/usage",
        "/v1/wallets/me/charges",
        "/v1/wallets/me/receipts",
        "/v1/wallets/me/statement",
      ],
    },
    {
      name: "Top-ups",
      description: "Payments into a wallet, and events of the payment provider.",
      paths: ["/v1/topup", "/v1/topups", "/v1/webhooks"],
    },
    {
      name: "Purchases",
      description: "One-time purchases from paid money.",
      paths: ["/v1/catalog", "/v1/purchases", "/v1/wallets/me/entitlements"],
    },
    {
      name: "Receipt keys",
      description: "Public keys that verify receipts offline.",
      paths: ["/.well-known"],
    },
    {
      name: "Gateway protocol",
      description: "Endpoints that only the gateway calls: charges, deliveries, wallets.",
      paths: ["/internal/v1"],
    },
    {
      name: "Operators",
      description: "The operator API: wallets, top-ups, charges, keys, audit.",
      paths: ["/v1/admin"],
    },
  ],
  credentials: {
    wallet: [
      { in: "header", name: "X-Rail-Wallet", description: "X-Rail-Wallet: <WALLET_TOKEN>" },
      { in: "bearer", description: "Authorization: Bearer <WALLET_TOKEN>" },
    ],
    service: [{ in: "bearer", description: "Authorization: Bearer rail_svc_…, sent by the gateway" }],
    admin: [{ in: "bearer", description: "Authorization: Bearer rail_admin_…, the operator token" }],
  },
};
