/**
 * Long crash test: `node packages/usage-metering/bench/crash.ts [kills]`, default 100. Prints the served and booked
 * items, and the longest time before a kill from which requests were lost, excluding time blocked by other processes.
 */
import { crashRounds } from "../test/crash-rounds.ts";

const report = await crashRounds(Number(process.argv[2] ?? 100));
process.stdout.write(
  `${report.kills} kills: ${report.served} items served, ${report.booked} booked, ${report.differences.length} differences, ` +
    `at most ${report.lostMs} ms lost\n`,
);
process.exitCode = report.differences.length > 0 || report.booked > report.served ? 1 : 0;
