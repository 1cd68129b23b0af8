/**
 * Causes process faults: crashes, pauses shorter or longer than a lease, clock jumps, and two processes of one
 * instance.
 */
import type { Gateway } from "./gateway.ts";
import type { Rail } from "./rail.ts";
import type { Rates } from "./scenario.ts";
import type { World } from "./world.ts";

export function startFate(
  world: World,
  rates: Rates,
  { rail, gateways }: { rail: Rail; gateways: readonly Gateway[] },
) {
  const { chance } = world;
  world.after(100, null, strike);

  function strike(): void {
    world.after(400 * chance.next(), null, strike);
    if (chance.hits(rates.of("rail_crashes"))) rail.crash();
    if (chance.hits(rates.of("gateway_crashes"))) chance.pick(gateways).crash(chance.between(20, 3000));
    if (chance.hits(rates.of("pauses"))) sleep();
    if (chance.hits(rates.of("clock_jumps"))) jump();
    if (chance.hits(rates.of("zombies") * 0.3)) {
      world.note("a sleeping gateway was replaced");
      chance.pick(gateways).replaceSleeping(chance.between(100, 40_000));
    }
  }

  function sleep(): void {
    const isLong = chance.hits(0.2);
    world.note(isLong ? "slept longer than a lease" : "slept");
    const ms = isLong ? chance.between(31_000, 70_000) : chance.between(50, 5000);
    if (chance.hits(0.3)) rail.freeze(ms);
    else chance.pick(gateways).freeze(ms);
  }

  function jump(): void {
    world.note("the rail's clock jumped");
    if (chance.hits(0.03)) return rail.jump(91 * 86_400_000);
    rail.jump(chance.between(-120_000, 120_000) * (chance.hits(0.7) ? 0.1 : 1));
  }
}
