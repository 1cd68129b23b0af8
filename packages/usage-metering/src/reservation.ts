import type { DayCount } from "./day-quota.ts";
import type { Outcome, Reservation } from "./meter.ts";
import type { UsageRow } from "./usage.ts";

/** A class that carries its own state, so that the meter needs no list of running requests. */
export class ActiveReservation implements Reservation {
  readonly id: string;
  readonly keyId: string;
  readonly at: number;
  readonly day: string;
  readonly granted: number;
  readonly test: boolean;
  readonly plan: string;
  readonly #count: DayCount;
  #held = 0;
  #isSettled = false;

  constructor({ id, keyId, at, day, granted, test, plan }: Reservation, count: DayCount) {
    this.id = id;
    this.keyId = keyId;
    this.at = at;
    this.day = day;
    this.granted = granted;
    this.test = test;
    this.plan = plan;
    this.#count = count;
  }

  get reserved(): number {
    return this.#held;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  hold(items: number): void {
    this.#count.reserved += items - this.#held;
    this.#held = items;
  }

  /** Ends the request: releases the reservation and counts the sent items. */
  settle({ requestId, route, status, items, bytes, geo }: Outcome): UsageRow {
    this.hold(0);
    this.#count.used += items;
    this.#isSettled = true;
    const { id, keyId, at, day, test, plan } = this;
    return { id, keyId, at, day, test, plan, requestId, route, status, items, bytes, geo };
  }
}
