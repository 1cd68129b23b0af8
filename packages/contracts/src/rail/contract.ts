import type { ServiceContract } from "../endpoint.ts";
import * as admin from "./admin-endpoints.ts";
import * as service from "./service-endpoints.ts";
import * as wallet from "./wallet-endpoints.ts";

export const railContract: ServiceContract = {
  name: "rail",
  title: "Triptych rail",
  description:
    "Prepaid wallets for decisions: exact balances, exactly-once charges, and a signed receipt for each charge. Receipts form a chain and can be verified offline. Undelivered responses are not billed.",
  version: "1",
  endpoints: [...Object.values(wallet), ...Object.values(service), ...Object.values(admin)],
  credentials: {
    wallet: [
      { in: "header", name: "X-Rail-Wallet", description: "X-Rail-Wallet: <WALLET_TOKEN>" },
      { in: "bearer", description: "Authorization: Bearer <WALLET_TOKEN>" },
    ],
    service: [{ in: "bearer", description: "Authorization: Bearer rail_svc_…, sent by the gateway" }],
    admin: [{ in: "bearer", description: "Authorization: Bearer rail_admin_…, the operator token" }],
  },
};
