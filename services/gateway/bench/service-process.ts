/**
 * A rail, router or gateway in its own process, started as the CLI does. Reports its address and later its resource
 * usage to the parent.
 */
import { start as startRail } from "@triptych/rail";
import { start as startRouter } from "@triptych/router";
import { start as startGateway } from "../src/service.ts";

const starters = { rail: startRail, router: startRouter, gateway: startGateway };
const [, , name] = process.argv;
if (name !== "rail" && name !== "router" && name !== "gateway") throw new Error(`Unknown service "${name}".`);

const service = await starters[name](process.env);
process.send?.(service.url);
process.on("message", () => process.send?.(process.cpuUsage()));
process.on("disconnect", () => void service.stop().then(() => process.exit(0)));
