import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { definePlans, parsePriceTiers, priceOf } from "../src/index.ts";
import { priceTiers } from "./arbitraries.ts";

const bounded = { seed: 20_261_121, numRuns: 500 };

test("each item costs the price of its tier", () => {
  const tiers = parsePriceTiers(
    '[{"up_to":10,"price_micro":100},{"up_to":20,"price_micro":60},{"up_to":null,"price_micro":5}]',
  );
  assert.equal(priceOf(tiers, 0, 10), 1000);
  assert.equal(priceOf(tiers, 9, 2), 160);
  assert.equal(priceOf(tiers, 0, 25), 1000 + 600 + 25);
  assert.equal(priceOf(tiers, 1_000_000, 3), 15);
});

test("the price of several items is the sum of their single prices", () => {
  fc.assert(
    fc.property(priceTiers, fc.nat(60), fc.nat(60), (tiers, before, items) => {
      let sum = 0;
      for (let index = 0; index < items; index++) {
        const position = before + index + 1;
        sum += tiers.find(({ upTo }) => upTo === null || position <= upTo)?.priceMicro ?? 0;
      }
      assert.equal(priceOf(tiers, before, items), sum);
    }),
    bounded,
  );
});

test("bookings of any size add up to the price of the month", () => {
  fc.assert(
    fc.property(priceTiers, fc.array(fc.nat(40), { maxLength: 30 }), (tiers, bookings) => {
      let booked = 0;
      let amount = 0;
      for (const items of bookings) {
        amount += priceOf(tiers, booked, items);
        booked += items;
      }
      assert.equal(amount, priceOf(tiers, 0, booked));
    }),
    bounded,
  );
});

test("a plan without tiers is free", () => {
  assert.equal(priceOf([], 5, 2000), 0);
});

for (const [what, json] of [
  ["that is invalid JSON", "100"],
  ["that does not parse", "[{"],
  ["without tiers", "[]"],
  ["whose last bound is not null", '[{"up_to":5,"price_micro":1}]'],
  ["with an open bound before the end", '[{"up_to":null,"price_micro":1},{"up_to":null,"price_micro":1}]'],
  ["with bounds that fall", '[{"up_to":5,"price_micro":1},{"up_to":5,"price_micro":1},{"up_to":null,"price_micro":1}]'],
  ["with a fractional price", '[{"up_to":null,"price_micro":0.5}]'],
  ["with a negative price", '[{"up_to":null,"price_micro":-1}]'],
  ["with a text as price", '[{"up_to":null,"price_micro":"1"}]'],
  ["with a member missing", '[{"up_to":null}]'],
] as const) {
  test(`rejects a price list ${what} with a message`, () => {
    assert.throws(() => parsePriceTiers(json), { name: "RangeError", message: /^price tiers: / });
  });
}

test("rejects plans with impossible limits, and names the limit", () => {
  const plan = { id: "pro", itemsPerDay: 10, requestsPerMinute: 120, raisable: true, tiers: [] };
  assert.throws(() => definePlans([{ ...plan, requestsPerMinute: 0 }]), /pro: requestsPerMinute .* not 0/);
  assert.throws(() => definePlans([{ ...plan, itemsPerDay: 1.5 }]), /pro: itemsPerDay .* not 1.5/);
  assert.throws(() => definePlans([plan, plan]), /same ID/);
});
