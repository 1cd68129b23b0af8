/** Redaction throughput for text without secrets: the sources of this repository, with the known secrets of a run. */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createRedactor } from "@triptych/redaction";
import { median } from "@triptych/util";
import { type Figures } from "../../../packages/decisions/bench/report.ts";

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
    const startedAt = performance.now();
    let seen = 0;
    while (performance.now() - startedAt < milliseconds / ROUNDS) {
      for (const text of texts) redactor.clean(text);
      seen += bytes;
    }
    return seen / 1e3 / (performance.now() - startedAt);
  });
  const rate = median(rates);
  const goal = {
    goal: `8: secret redaction, messages of ${MESSAGE} characters`,
    bar: ">= 200 MB/s",
    measured: `${rate.toFixed(0)} MB/s`,
    met: rate >= 200,
  };
  return { goals: [goal], tables: [] };
}

/** Copies, because slices of a long text are slower to read than a message. */
function cut(file: Buffer): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < file.length; at += MESSAGE) pieces.push(file.toString("latin1", at, at + MESSAGE));
  return pieces;
}
