/** The router as the command line starts it, in a process of the campaign. */
import { say, waitForOrder } from "@triptych/rail/chaos";
import { start } from "@triptych/router";

const environment: Readonly<Record<string, string>> = JSON.parse(await waitForOrder());
const { url } = await start(environment);
say(url);
