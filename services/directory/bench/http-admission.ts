/**
 * Three authentication modes of one service: full metering, key lookup without counting, and open access. Compared
 * within one process, because two processes of the same program differ by more than metering costs (JIT compilation
 * varies).
 */
import type { KeyRing, Meter } from "@triptych/metering";
import type { Access, Entry, KeyHolder } from "../src/domain/access.ts";
import { createAccess, verifyIn } from "../src/store/access.ts";

export type Door = "metering" | "keys only" | "open";

export interface Doors {
  readonly access: Access;
  /**
   * No request may be in flight. Resolves when all usage so far is written, so that the next mode does not pay for it.
   */
  use(door: Door): Promise<void>;
}

export function openDoors({ ring, meter }: { readonly ring: KeyRing; readonly meter: Meter }): Doors {
  const doors: Readonly<Record<Door, Access>> = {
    metering: createAccess({ ring, meter }),
    "keys only": { ...openDoor(), verify: verifyIn(ring) },
    open: openDoor(),
  };
  let inUse = doors.metering;
  return {
    access: {
      verify: (presented) => inUse.verify(presented),
      enter: (holder, wanted) => inUse.enter(holder, wanted),
      usage: (holder, entry, period) => inUse.usage(holder, entry, period),
      close: () => inUse.close(),
    },
    async use(door) {
      await meter.flush();
      inUse = doors[door];
    },
  };
}

const NOWHERE: Entry["standing"] = {
  minute: { limit: 0, remaining: 0, resetSeconds: 0 },
  day: { date: "", limit: null, used: 0, remaining: null, resetSeconds: 0 },
};

function openDoor(): Access {
  const holder: KeyHolder = { id: "key_everybody", name: "everybody", plan: "pro", test: true, dailyItems: "none" };
  return {
    verify: () => ({ state: "valid", holder }),
    enter: (_, wanted) => {
      const entry: Entry = {
        granted: wanted,
        exhaustedFor: null,
        standing: NOWHERE,
        fields: () => ({}),
        narrow: () => Promise.resolve(),
        settle: () => Promise.resolve(),
      };
      return { verdict: "entered", entry };
    },
    usage: () => Promise.reject(new Error("nothing is booked here")),
    close: () => Promise.resolve(),
  };
}
