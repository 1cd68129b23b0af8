/**
 * `npm test`: all test files in three processes side by side, because many tests wait for processes of their own, and one process
 * runs its files one after the other. The reports of the others are printed when the first has ended, so none tears another's
 * lines. Files named as arguments run alone, in one process: `npm test -- packages/server/test/requests.test.ts`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";

const GROUPS: readonly (readonly string[])[] = [
  ["services/directory/test/**/*.test.ts"],
  ["services/rail/test/**/*.test.ts"],
  [
    "services/router/test/**/*.test.ts",
    "packages/*/test/**/*.test.ts",
    "apps/*/test/**/*.test.ts",
    "test/**/*.test.ts",
  ],
];
const FLAGS = ["--test", "--test-isolation=none", "--test-timeout=120000"];

interface Ended {
  readonly code: number;
  readonly report: string;
}

async function run(files: readonly string[], show: (text: string) => void): Promise<Ended> {
  const child = spawn(process.execPath, [...FLAGS, ...files], { stdio: ["ignore", "pipe", "inherit"] });
  let report = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    report += text;
    show(text);
  });
  const [code] = await once(child, "close");
  return { code: typeof code === "number" ? code : 1, report };
}

/** Sum of a closing figure of the runner over all reports. */
function sum(ended: readonly Ended[], figure: string): number {
  const pattern = new RegExp(`^ℹ ${figure} (\\d+)$`, "m");
  return ended.reduce((total, { report }) => total + Number(pattern.exec(report)?.[1] ?? 0), 0);
}

const asked = process.argv.slice(2);
const groups = asked.length > 0 ? [asked] : GROUPS;
const write = (text: string) => void process.stdout.write(text);
const running = groups.map((files, place) => run(files, place === 0 ? write : () => {}));
const ended: Ended[] = [];
for (const [place, one] of running.entries()) {
  ended.push(await one);
  if (place > 0) write(ended[place].report);
}
write(
  `\n${sum(ended, "pass")} passed, ${sum(ended, "fail") + sum(ended, "cancelled")} failed, ${sum(ended, "skipped")} skipped\n`,
);
process.exitCode = ended.some(({ code }) => code !== 0) ? 1 : 0;
