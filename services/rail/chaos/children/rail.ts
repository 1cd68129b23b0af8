/** The rail as the CLI starts it, in a campaign process. */
import { start } from "../../src/service.ts";
import { say, waitForConfig } from "./wait-for-order.ts";

const environment: Readonly<Record<string, string>> = JSON.parse(await waitForConfig());
const { url } = await start(environment);
say(url);
