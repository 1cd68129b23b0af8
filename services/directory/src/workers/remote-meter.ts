/**
 * The meter of a service whose requests are answered by several threads: one thread decides, the others ask it, so the minute
 * window and the day's quota stay exact. A reservation is known by its id on the way, and is the same object again at its meter.
 */
import type { Admission, Meter, MeteredKey, Outcome, Reservation } from "@triptych/metering";
import type { ThreadCalls, Verbs } from "./thread-calls.ts";

/** What the deciding thread answers to one asking thread. */
export function meterVerbs(meter: Meter): Verbs {
  const open = new Map<string, Reservation>();
  const known = (id: string): Reservation => {
    const reservation = open.get(id);
    if (reservation === undefined) throw new Error(`the reservation ${id} is not open`);
    return reservation;
  };
  return {
    async admit(key: MeteredKey, wanted: number) {
      const admission = await meter.admit(key, wanted);
      if ("reservation" in admission) open.set(admission.reservation.id, admission.reservation);
      return admission;
    },
    narrow: (id: string, items: number) => meter.narrow(known(id), items),
    async settle(id: string, outcome: Outcome) {
      const reservation = known(id);
      open.delete(id);
      await meter.settle(reservation, outcome);
    },
    usage: (keyId: string, from: string, to: string) => meter.usage(keyId, from, to),
  };
}

/** The same meter, as an asking thread sees it. */
export function remoteMeter(calls: ThreadCalls): Meter {
  const close = () => Promise.resolve();
  return {
    // The other side is `meterVerbs` of the same program: its answers are what the types say.
    admit: (key, wanted) => calls.call("admit", key, wanted) as Promise<Admission>,
    narrow: ({ id }, items) => calls.call("narrow", id, items) as Promise<void>,
    settle: ({ id }, outcome) => calls.call("settle", id, outcome) as Promise<void>,
    usage: (keyId, from, to) => calls.call("usage", keyId, from, to) as ReturnType<Meter["usage"]>,
    flush: close,
    close,
    [Symbol.asyncDispose]: close,
  };
}
