import type { ServiceContract } from "../endpoint.ts";
import * as account from "./account-endpoints.ts";
import * as auth from "./auth-endpoints.ts";
import * as candidates from "./candidate-endpoints.ts";
import * as deliveries from "./delivery-endpoints.ts";
import * as bus from "./bus-endpoints.ts";
import * as followUps from "./follow-up-endpoints.ts";
import * as repos from "./repo-endpoints.ts";
import * as runs from "./run-endpoints.ts";
import * as schedules from "./schedule-endpoints.ts";
import * as statements from "./statement-endpoints.ts";
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
    ...Object.values(followUps),
    ...Object.values(bus),
    ...Object.values(candidates),
    ...Object.values(account),
    ...Object.values(auth),
    ...Object.values(workers),
    ...Object.values(deliveries),
    ...Object.values(statements),
  ],
  tags: [
    {
      name: "Repositories",
      description: "Repositories with their settings, credentials and checks.",
      paths: ["/api/repos"],
    },
    {
      name: "Memories",
      description: "Facts about a repository that agents receive.",
      paths: ["/api/repos/{id}/memories"],
    },
    {
      name: "Runs",
      description: "Maintenance and explore runs: start, follow, cancel, retry.",
      paths: ["/api/runs", "/api/repos/{id}/run", "/api/repos/{id}/runs", "/api/repos/{id}/explore"],
    },
    {
      name: "Schedules",
      description: "What happened at each scheduled time.",
      paths: ["/api/repos/{id}/fires"],
    },
    {
      name: "Candidates",
      description: "Changes that explore runs propose, each with a failing check as proof.",
      paths: ["/api/candidates", "/api/repos/{id}/candidates", "/api/repos/{id}/explore-stats"],
    },
    {
      name: "Events",
      description: "Messages of a run, and change notifications of the account, also as event streams.",
      paths: ["/api/runs/{id}/bus", "/api/changes"],
    },
    {
      name: "Statements",
      description: "Signed statements of pushed runs, and the keys that verify them.",
      paths: ["/api/runs/{id}/statement", "/.well-known"],
    },
    {
      name: "Account",
      description: "Plan and usage, license key, access tokens.",
      paths: ["/api/account"],
    },
    {
      name: "Sessions",
      description: "Sign-in for browsers.",
      paths: ["/api/auth"],
    },
    {
      name: "Workers",
      description: "Connected workers, their agents and models.",
      paths: ["/api/workers", "/api/worker/status", "/api/worker/models", "/api/worker/probe"],
    },
    {
      name: "Worker protocol",
      description: "Endpoints that only workers call: connection, git relay, uploads.",
      paths: ["/api/worker"],
    },
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
