import type { ServiceContract } from "../endpoint.ts";
import * as account from "./account-endpoints.ts";
import * as auth from "./auth-endpoints.ts";
import * as candidates from "./candidate-endpoints.ts";
import * as deliveries from "./delivery-endpoints.ts";
import * as bus from "./bus-endpoints.ts";
import * as repos from "./repo-endpoints.ts";
import * as runs from "./run-endpoints.ts";
import * as schedules from "./schedule-endpoints.ts";
import * as workers from "./worker-endpoints.ts";

export const SESSION_COOKIE = "panel_session";
/** Browsers accept this prefix only over https, with `Secure` and for the whole host. */
export const SECURE_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;

export const panelContract: ServiceContract = {
  name: "panel",
  title: "Triptych panel",
  description:
    "Maintenance runs on your repositories, by agents on your own workers. Every run ends in a defined state and is pushed at most once. Nothing is pushed without a visible verdict.",
  version: "1",
  endpoints: [
    ...Object.values(repos),
    ...Object.values(schedules),
    ...Object.values(runs),
    ...Object.values(bus),
    ...Object.values(candidates),
    ...Object.values(account),
    ...Object.values(auth),
    ...Object.values(workers),
    ...Object.values(deliveries),
  ],
  credentials: {
    worker: [{ in: "bearer", description: "Authorization: Bearer lic_…, the license key" }],
    account: [
      { in: "bearer", description: "Authorization: Bearer pnl_…, an access token" },
      { in: "cookie", name: SESSION_COOKIE, description: "the session cookie of a browser" },
    ],
    run: [{ in: "bearer", description: "Authorization: Bearer rt_…, the token that a worker receives with its run" }],
    check: [{ in: "bearer", description: "Authorization: Bearer ct_…, the token that a worker receives with a check" }],
  },
};
