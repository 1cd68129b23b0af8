import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

/** The language is read when the first module is loaded, so this test of French runs in its own process. */
const PROGRAM = `
Object.defineProperty(globalThis, "localStorage", { value: { getItem: () => "fr" } });
const { plural, t } = await import("./src/i18n.ts");
const { ago, duration, grouped, money, percent, short } = await import("./src/labels/format.ts");
console.log(JSON.stringify({
  durations: [3_840, 64_000, 93_600_000].map(duration),
  times: [0, 60_000, -600_000, -200_000_000].map((now) => ago(0, now)),
  money: [12_000, 1_234_567_890].map(money),
  counts: [...[999, 12_449, 3_140_000].map(short), percent(0.864), grouped(1_234_567)],
  plurals: [0, 1, 2, 1_000_000].map((count) => plural(count, "{count} file", "{count} files")),
  meanings: [t("Run"), t("verb|Run"), t("noun|Explore"), t("Explore")],
  placeholder: t("State: <b>{label}</b>"),
}));
`;

test("writes texts, plurals, numbers, times and money in French", () => {
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    cwd: new URL("../../dashboard/", import.meta.url),
    encoding: "utf8",
  });
  // Its spaces do not break.
  assert.deepEqual(JSON.parse(output.replaceAll(/[\u00A0\u202F]/g, " ")), {
    durations: ["3,8 s", "1 min 04 s", "1 j 02 h"],
    times: ["à l'instant", "il y a 1 min", "dans 10 min", "dans 2 j"],
    money: ["0,0120 €", "1 234,57 €"],
    counts: ["999", "12,4 k", "3,1 M", "86 %", "1 234 567"],
    plurals: ["0 fichier", "1 fichier", "2 fichiers", "1 000 000 fichiers"],
    meanings: ["Run", "Lancer", "Exploration", "Explorer"],
    placeholder: "État : <b>{label}</b>",
  });
});
