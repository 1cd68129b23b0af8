/** The payment rail as a whole. Law: spec/routing.md. */
import type { ServiceContract } from "../endpoint.ts";
import * as admin from "./admin-endpoints.ts";
import * as service from "./service-endpoints.ts";
import * as wallet from "./wallet-endpoints.ts";

export const railContract: ServiceContract = {
  name: "rail",
  title: "Triptych rail",
  description:
    "Prepaid wallets for decisions: exact balances, charges that happen once or not at all, and a signed receipt for each, chained and verifiable offline. What was not delivered is not billed.",
  version: "1",
  endpoints: [...Object.values(wallet), ...Object.values(service), ...Object.values(admin)],
  credentials: {
    wallet: [
      { in: "header", name: "X-Rail-Wallet", description: "X-Rail-Wallet: <WALLET_TOKEN>" },
      { in: "bearer", description: "Authorization: Bearer <WALLET_TOKEN>" },
    ],
    service: [{ in: "bearer", description: "Authorization: Bearer rail_svc_…, between gateway and rail" }],
    admin: [{ in: "bearer", description: "Authorization: Bearer rail_admin_…, the operator's" }],
  },
};
