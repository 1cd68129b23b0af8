/** The router, started as the CLI does, in a process of the campaign. */
import { say, waitForConfig } from "@triptych/rail/chaos";
import { start } from "@triptych/router";

const environment: Readonly<Record<string, string>> = JSON.parse(await waitForConfig());
const { url } = await start(environment);
say(url);
