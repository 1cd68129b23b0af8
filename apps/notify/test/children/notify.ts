/**
 * A notifier in its own process, which a test kills. Arguments: data folder, panel URL, rules file, access token, start
 * time.
 */
import { readRules } from "../../src/rules.ts";
import { runNotify } from "../../src/run-notify.ts";

const [, , dataFolder = "", url = "", file = "", secret = "", since = ""] = process.argv;
const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
const rules = readRules(file, process.env);
await runNotify({ access: { url, secret }, rules, dataFolder, since: Number(since), signal: stop.signal });
