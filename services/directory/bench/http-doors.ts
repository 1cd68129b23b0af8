/**
 * Three doors of one service, of which one is in use: with metering, with a look for the caller's key and nothing counted, and open to
 * everybody. Two processes of the very same program differ by more than metering costs (what V8 has compiled, and how, is settled by
 * chance in each), so the doors are compared within one.
 */
import type { KeyRing, Meter } from "@triptych/metering";
import type { Access, Entry, KeyHolder } from "../src/domain/access.ts";
import { createAccess, verifyIn } from "../src/store/access.ts";

export type Door = "metering" | "keys only" | "open";

export interface Doors {
  readonly access: Access;
  /** Nobody may be on the way in. Resolves when all that was counted before is written: nobody else pays for it. */
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
