/**
 * The meter for several HTTP threads: one thread decides and the others call it, so that window and quota stay exact.
 * Between threads a reservation is an ID, resolved to its object at the meter.
 */
import type { Admission, Meter, MeteredKey, Outcome, Reservation } from "@triptych/usage-metering";
import type { ThreadCalls, Verbs } from "./thread-calls.ts";

export function meterVerbs(meter: Meter): Verbs {
  const open = new Map<string, Reservation>();
  const reservationOf = (id: string): Reservation => {
    const reservation = open.get(id);
    if (reservation === undefined) throw new Error(`reservation ${id} is not open`);
    return reservation;
  };
  return {
    async admit(key: MeteredKey, items: number) {
      const admission = await meter.admit(key, items);
      if ("reservation" in admission) open.set(admission.reservation.id, admission.reservation);
      return admission;
    },
    narrow: (id: string, items: number) => meter.shrinkReservation(reservationOf(id), items),
    async settle(id: string, outcome: Outcome) {
      const reservation = reservationOf(id);
      open.delete(id);
      await meter.settle(reservation, outcome);
    },
    usage: (keyId: string, from: string, to: string) => meter.usage(keyId, from, to),
  };
}

export function remoteMeter(calls: ThreadCalls): Meter {
  const close = () => Promise.resolve();
  return {
    // The other side is `meterVerbs` of the same program, so its results have these types.
    admit: (key, items) => calls.call("admit", key, items) as Promise<Admission>,
    shrinkReservation: ({ id }, items) => calls.call("narrow", id, items) as Promise<void>,
    settle: ({ id }, outcome) => calls.call("settle", id, outcome) as Promise<void>,
    usage: (keyId, from, to) => calls.call("usage", keyId, from, to) as ReturnType<Meter["usage"]>,
    // The main thread shows the lag of the one meter.
    lag: () => ({ rows: 0, oldestMs: 0 }),
    flush: close,
    close,
    [Symbol.asyncDispose]: close,
  };
}
