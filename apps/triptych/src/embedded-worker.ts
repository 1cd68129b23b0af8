/** `triptych worker` as a panel starts it beside itself: when our input ends, whoever started us is gone, and so are we. */
import { main } from "./main.ts";

process.stdin.resume().once("close", () => process.kill(process.pid, "SIGTERM"));
// Listening to it is no reason to stay.
process.stdin.unref();
await main(["worker", ...process.argv.slice(2)]);
