/**
 * The long form of the crash test: `node packages/metering/bench/crash.ts [kills]`, 100 by default. Prints what was served, what the
 * books hold, and the longest time before a kill whose settled requests were lost, the process not being held up by others.
 */
import { crashRounds } from "../test/crash-rounds.ts";

const report = await crashRounds(Number(process.argv[2] ?? 100));
process.stdout.write(
  `${report.kills} kills: ${report.served} items served, ${report.booked} booked, ${report.differences.length} differences, ` +
    `at most ${report.lostMs} ms lost\n`,
);
process.exitCode = report.differences.length > 0 || report.booked > report.served ? 1 : 0;
