import assert from "node:assert/strict";
import { test } from "node:test";
import { readHead, trainHead } from "../src/index.ts";
import { examples, smallTrunk, TOPICS } from "./support/small-trunk.ts";

const trunk = smallTrunk();
const routes = Object.keys(TOPICS).map((route) => ({ route }));
const taught = examples().filter((_, index) => index % 4 !== 0);
const aside = examples().filter((_, index) => index % 4 === 0);

test("calibration on separate texts leaves the weights unchanged and evaluates on those texts only", () => {
  const input = { name: "topics", routes, examples: taught, plus: false };
  const alone = readHead(trainHead(trunk, input).bytes, trunk.sha256);
  const { bytes, report } = trainHead(trunk, { ...input, calibrateOn: aside });
  const head = readHead(bytes, trunk.sha256);
  assert.deepEqual(head.dense, alone.dense);
  assert.deepEqual(
    head.routes.map(({ texts }) => texts),
    alone.routes.map(({ texts }) => texts),
  );
  assert.equal(report["n"], new Set(aside.map(({ text }) => text.toLowerCase())).size);
  assert.match(JSON.stringify(report["protocol"]), /neither trunk nor head was taught/);
});
