/** Calls foldMarks() wherever the deprecated stripMarks() was called: node codemods/fold-marks.js */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** These files still export the deprecated name. */
const EXCLUDED = new Set(["index.js", "marks.js"]);

for (const name of readdirSync("src").filter((file) => !EXCLUDED.has(file))) {
  const path = `src/${name}`;
  const before = readFileSync(path, "utf8");
  const after = before.replaceAll("stripMarks", "foldMarks");
  if (after === before) continue;
  writeFileSync(path, after);
  console.log(`${path}: calls foldMarks() now`);
}
