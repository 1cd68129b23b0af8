/** How fast text that holds no secret goes through the filter: with what a panel knows of a run, over the sources of this repository. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createRedactor } from "@triptych/redaction";
import { median, type Figures } from "../../../packages/decisions/bench/report.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const MESSAGE = 400;
const ROUNDS = 3;

export function measureRedaction(milliseconds: number): Figures {
  const secrets = {
    license_key: `lic_${"a9".repeat(16)}`,
    repo_credential: "ghx-abcdefgh1234",
    run_token: "rt.b8c7.d6e5f4",
  };
  const redactor = createRedactor(new Map(Object.entries(secrets)));
  const texts = globSync("packages/*/src/**/*.ts", { cwd: ROOT }).flatMap((file) =>
    cut(readFileSync(`${ROOT}${file}`)),
  );
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  const rates = Array.from({ length: ROUNDS }, () => {
    const begun = performance.now();
    let seen = 0;
    while (performance.now() - begun < milliseconds / ROUNDS) {
      for (const text of texts) redactor.clean(text);
      seen += bytes;
    }
    return seen / 1e3 / (performance.now() - begun);
  });
  const rate = median(rates);
  const goal = {
    goal: `8: the filter of secrets, messages of ${MESSAGE} symbols`,
    bar: ">= 200 MB/s",
    measured: `${rate.toFixed(0)} MB/s`,
    met: rate >= 200,
  };
  return { goals: [goal], tables: [] };
}

/** Of their own: what was cut out of a long text is slower to read than a message is. */
function cut(file: Buffer): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < file.length; at += MESSAGE) pieces.push(file.toString("latin1", at, at + MESSAGE));
  return pieces;
}
