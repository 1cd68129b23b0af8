import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeCaps, type DaySum, type StoredBudget } from "../../chaos/judge-caps.ts";

const DAY = 20_000;
const MONTH = 657;
const COUNTED = {
  day: DAY,
  day_micro: 700,
  day_before_micro: 300,
  month: MONTH,
  month_micro: 1000,
  month_before_micro: 0,
  spent_micro: 1000,
};
const WALLET: StoredBudget = {
  id: "wal_1",
  per_day_micro: null,
  per_month_micro: null,
  total_micro: null,
  ...COUNTED,
};
const TOKEN: StoredBudget = { ...WALLET, id: "tok_1", day_micro: 200, month_micro: 500, spent_micro: 500 };
const SUMS: readonly DaySum[] = [
  { walletId: "wal_1", tokenId: "tok_1", day: DAY - 1, micro: 300 },
  { walletId: "wal_1", tokenId: "tok_1", day: DAY, micro: 200 },
  { walletId: "wal_1", tokenId: null, day: DAY, micro: 500 },
  { walletId: "wal_2", tokenId: null, day: DAY, micro: 9000 },
];

function messages(wallet: Partial<StoredBudget>, token: Partial<StoredBudget> = {}): string[] {
  const budgets = [
    { ...WALLET, ...wallet },
    { ...TOKEN, ...token },
  ];
  return judgeCaps(budgets, SUMS).map(({ message }) => message);
}

test("accepts spend up to each cap, and counters that equal the unreversed charges", () => {
  const caps = { per_day_micro: 700, per_month_micro: 1000 };
  assert.deepEqual(messages(caps, { per_day_micro: 300, total_micro: 500 }), []);
});

test("reports spend above a cap of a wallet or a token, by the day, month or total", () => {
  assert.deepEqual(messages({ per_day_micro: 699 }), [`wal_1 spent 700 on day ${DAY}, its cap is 699`]);
  assert.deepEqual(messages({ per_month_micro: 999 }), [`wal_1 spent 1000 in month ${MONTH}, its cap is 999`]);
  assert.deepEqual(messages({}, { per_day_micro: 299 }), [`tok_1 spent 300 on day ${DAY - 1}, its cap is 299`]);
  assert.deepEqual(messages({}, { total_micro: 499 }), ["tok_1 spent 500 in all, its cap is 499"]);
});

test("reports every counter that differs from the unreversed charges", () => {
  for (const name of ["day_micro", "day_before_micro", "month_micro", "month_before_micro", "spent_micro"] as const) {
    const wrong = WALLET[name] + 1;
    assert.deepEqual(messages({ [name]: wrong }), [`${name} of wal_1 is ${wrong}, its charges sum to ${WALLET[name]}`]);
  }
});
