/**
 * `npm run pin:artifacts`: pins the trained files (`manifest.json`) and writes the expected results of the self-test
 * (`probe.json`) and the tests. Run it after every training; the engine rejects unpinned files.
 */
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { canonicalJson } from "@triptych/contracts/plain";
import { ARTIFACTS, openArtifacts, probeAnswer } from "../src/bundled-models.ts";
import { goldenAnswer, type GoldenAnswer } from "./golden-answers.ts";

const STATE = "Bonjour, what is the weather in Paris tomorrow, and can you convert 72 °F?";

const GOLDEN = new URL("../test/fixtures/golden-answers.json", import.meta.url);

const read = (name: string) => readFileSync(new URL(name, ARTIFACTS));
const names = globSync(["*.{tptk,tpos,tpax}", "experts/*.tphd", "cards/*.md"], { cwd: fileURLToPath(ARTIFACTS) });
const artifacts = openArtifacts(names, read);
const probe = { state: STATE, answer: probeAnswer(artifacts, STATE) };
writeFileSync(new URL("probe.json", ARTIFACTS), `${canonicalJson(probe)}\n`);

const pinned = [...names, "probe.json"].toSorted();
const hashes = pinned.map((name) => [name, createHash("sha256").update(read(name)).digest("hex")]);
writeFileSync(new URL("manifest.json", ARTIFACTS), `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`);
const golden = JSON.parse(readFileSync(GOLDEN, "utf8")) as readonly GoldenAnswer[];
const answered = golden.map(({ text }) => JSON.stringify({ text, answer: goldenAnswer(artifacts, text) }));
writeFileSync(GOLDEN, `[\n${answered.join(",\n")}\n]\n`);
process.stderr.write(`${pinned.length} files pinned.\n`);
