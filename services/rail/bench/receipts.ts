/**
 * How fast receipts are signed: one after the other, as a plain call of the crypto library does it on the thread that answers requests,
 * against batches of 64 as the rail signs them, on the library's own threads. `node services/rail/bench/receipts.ts`
 */
import { generateKeyPairSync, sign } from "node:crypto";
import { availableParallelism, loadavg } from "node:os";
import { canonicalJson } from "@triptych/contracts";
import { receiptClaims } from "../src/domain/receipt.ts";
import { verifyReceipt, keysOf } from "../src/pages/browser/verify-receipt.js";
import { chargeWith } from "../test/support/charges.ts";
import { keyHouse } from "../test/support/memory-keys.ts";

const ROUNDS = 3;
const COUNT = 6400;
const BATCH = 64;

const keys = await keyHouse().open();
const charges = Array.from({ length: COUNT }, (_, place) =>
  chargeWith(keys.activeKid(), { walletSeq: place + 1, idk: "k".repeat(22) }),
);
const { privateKey } = generateKeyPairSync("ed25519");

function oneByOne(): number {
  const begun = performance.now();
  for (const charge of charges) {
    const claims = Buffer.from(canonicalJson(receiptClaims(charge))).toString("base64url");
    sign(null, Buffer.from(claims), privateKey);
  }
  return (COUNT / (performance.now() - begun)) * 1000;
}

async function inBatches(): Promise<{ readonly rate: number; readonly busy: number }> {
  const begun = performance.now();
  const before = process.threadCpuUsage();
  for (let place = 0; place < COUNT; place += BATCH)
    await Promise.all(charges.slice(place, place + BATCH).map((charge) => keys.receiptOf(charge)));
  const took = performance.now() - begun;
  const { user, system } = process.threadCpuUsage(before);
  return { rate: (COUNT / took) * 1000, busy: (COUNT / ((user + system) / 1000)) * 1000 };
}

async function verified(): Promise<number> {
  const published = keysOf([{ keys: keys.published() }]);
  const receipt = await keys.receiptOf(charges[0]);
  const begun = performance.now();
  for (let place = 0; place < 2000; place++) await verifyReceipt(receipt, published);
  return (2000 / (performance.now() - begun)) * 1000;
}

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const single: number[] = [];
const batched: { readonly rate: number; readonly busy: number }[] = [];
const checks: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  single.push(oneByOne());
  batched.push(await inBatches());
  checks.push(await verified());
}
const [one, many] = [median(single), median(batched.map(({ rate }) => rate))];
const perSecond = (rate: number) => `${Math.round(rate).toLocaleString("en")}/s`;
const lines = [
  `receipts, medians of ${ROUNDS} rounds of ${COUNT}; ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)} with other work beside`,
  `signed one after the other, on one thread    ${perSecond(one)}`,
  `signed in batches of ${BATCH}, as the rail does    ${perSecond(many)}   (${(many / one).toFixed(1)} x)`,
  `the answering thread alone could carry       ${perSecond(median(batched.map(({ busy }) => busy)))}`,
  `verified with WebCrypto, one after the other ${perSecond(median(checks))}`,
];
process.stdout.write(`${lines.join("\n")}\n`);
