/** Calls foldMarks() wherever the deprecated stripMarks() was called: node codemods/fold-marks.js */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

/** They keep the old name for those who import it from us. */
const KEEPING = new Set(["index.js", "marks.js"]);

for (const name of readdirSync("src").filter((file) => !KEEPING.has(file))) {
  const path = `src/${name}`;
  const before = readFileSync(path, "utf8");
  const after = before.replaceAll("stripMarks", "foldMarks");
  if (after === before) continue;
  writeFileSync(path, after);
  console.log(`${path}: calls foldMarks() now`);
}
