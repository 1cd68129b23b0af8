/**
 * Shared with other campaigns: rounds of `kill -9` under load, and their judges. Each campaign brings its own gateways.
 */
export { runCampaign, type CampaignOptions, type Outcome } from "./campaign.ts";
export { createChance, type Chance } from "../simulation/random.ts";
export { findPort } from "./find-port.ts";
export { keepGatewayRecord } from "./gateway-record.ts";
export { openPost } from "./post.ts";
export type { Acknowledged } from "./records.ts";
export { runFromCommandLine } from "./run-from-command-line.ts";
export type { Front, StageContext } from "./stage.ts";
export { openStandby } from "./standby.ts";
export { say, waitForConfig } from "./children/wait-for-order.ts";
