/**
 * Measures the length of a receipt, and the rates of signing (in batches of 64, on the threads of the crypto library)
 * and of verification.
 */
import { availableParallelism } from "node:os";
import { median } from "@triptych/util";
import { keysOf, verifyReceipt } from "@triptych/client/receipt.js";
import { chargeWith } from "../test/support/charges.ts";
import { createSharedKeys } from "../test/support/memory-keys.ts";
import { rate, type Row } from "./report.ts";

const BATCH = 64;
const SIGNED_BAR = 10_000;

export async function measureReceipts({ rounds, count }: { rounds: number; count: number }): Promise<Row[]> {
  const keys = await createSharedKeys().open();
  const charges = Array.from({ length: count }, (_, index) =>
    chargeWith(keys.activeKid(), { walletSeq: index + 1, idk: "k".repeat(22) }),
  );
  const published = keysOf([{ keys: keys.published() }]);
  const [signed, busy, verified]: number[][] = [[], [], []];
  let receipt = "";
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    const before = process.cpuUsage();
    for (let index = 0; index < count; index += BATCH)
      [receipt = ""] = await Promise.all(charges.slice(index, index + BATCH).map((charge) => keys.receiptOf(charge)));
    const { user, system } = process.cpuUsage(before);
    signed?.push((count / (performance.now() - startedAt)) * 1000);
    busy?.push((count / (user + system)) * 1e6);
    const checked = performance.now();
    for (let index = 0; index < count; index += 8) await verifyReceipt(receipt, published);
    verified?.push((Math.ceil(count / 8) / (performance.now() - checked)) * 1000);
  }
  const perCore = median(busy ?? []);
  return [
    { goal: "receipt", bar: "800 bytes", measured: `${receipt.length} bytes`, met: receipt.length <= 800 },
    {
      goal: "receipts signed",
      bar: `${rate(SIGNED_BAR)} per core`,
      measured: `${rate(perCore)} per core; ${rate(median(signed ?? []))} on ${availableParallelism()}`,
      met: perCore >= SIGNED_BAR,
    },
    { goal: "receipts verified", bar: "", measured: `${rate(median(verified ?? []))}, sequentially`, met: null },
  ];
}
