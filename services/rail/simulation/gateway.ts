/**
 * A simulated gateway: admits a call, runs a router, charges through the product's billing client, and responds. Its
 * process may crash or pause at every await; another process then starts with the same instance name.
 */
import { createBilling, type Billing, type Charged, type ChargeOutcome } from "@triptych/billing-client";
import type { Network } from "./network.ts";
import type { Rail } from "./rail.ts";
import type { Rates } from "./scenario.ts";
import type { Truth } from "./truth.ts";
import type { Process, World } from "./world.ts";

export interface Call {
  readonly id: string;
  readonly walletHash: string;
  readonly op: string;
  readonly key: string | undefined;
  readonly req: string;
}

export interface Reply {
  readonly status: number;
  readonly code: string | null;
  /** Null if not billed. */
  readonly chargeId: string | null;
  readonly receipt: string | null;
  readonly body: string | null;
  readonly isReplay: boolean;
  readonly balanceMicro: number | null;
}

/** The caller's side of a connection. The caller may disconnect; it receives a reply or a broken connection. */
export interface Connection {
  isOpen: boolean;
  readonly onReply: (reply: Reply | "reset") => void;
}

export interface Gateway {
  readonly name: string;
  call(call: Call, connection: Connection): void;
  readonly isUp: boolean;
  /** Number of replaced processes that have not ended yet. Each may wake up, register with the rail and charge. */
  readonly asleep: number;
  /** The billing client; null while the process is down. */
  billing(): Billing | null;
  crash(restartMs: number): void;
  freeze(ms: number): void;
  /** Pauses the process and starts a replacement; the process later wakes up next to it. */
  replaceSleeping(ms: number): void;
}

export interface GatewayOptions {
  readonly world: World;
  readonly rates: Rates;
  readonly network: Network;
  readonly rail: Rail;
  readonly truth: Truth;
  readonly name: string;
}

interface Running {
  readonly process: Process;
  readonly billing: Billing;
  readonly connections: Set<Connection>;
}

export function createGateway({ world, rates, network, rail, truth, name }: GatewayOptions): Gateway {
  const { chance } = world;
  let running: Running | null = start();
  let asleep = 0;

  return {
    name,
    call(call, connection) {
      const mine = running;
      world.after(0.1 + chance.next(), mine?.process ?? null, () => {
        if (mine === null || !mine.process.alive) return connection.onReply("reset");
        mine.connections.add(connection);
        world.run(serve(mine, call, connection));
      });
      // The recipient no longer exists.
      if (mine !== null) world.after(3, null, () => void (mine.process.alive || connection.onReply("reset")));
    },
    get isUp() {
      return running !== null;
    },
    get asleep() {
      return asleep;
    },
    billing: () => running?.billing ?? null,
    crash,
    freeze(ms) {
      if (running !== null) running.process.pausedUntil = world.now + ms;
    },
    replaceSleeping(ms) {
      if (running === null) return;
      const sleeping = running;
      sleeping.process.pausedUntil = world.now + ms;
      running = start();
      asleep++;
      world.after(ms + 500, null, () => {
        kill(sleeping);
        asleep--;
      });
    },
  };

  function start(): Running {
    const process = world.start(name);
    const billing = createBilling({
      instance: name,
      now: () => world.now,
      random: chance.bytes,
      timers: { after: (ms, act) => world.after(ms, process, act) },
      transport: {
        hello: (greeting) => network.ask(process, rail.hello, greeting),
        resolve: (walletHash) => network.ask(process, rail.resolve, walletHash),
        charge: (batch) => network.ask(process, rail.charge, { batch, builtAt: world.step }),
      },
    });
    return { process, billing, connections: new Set() };
  }

  function crash(restartMs: number): void {
    if (running === null) return;
    kill(running);
    running = null;
    world.after(restartMs, null, () => {
      running ??= start();
    });
  }

  function kill({ process, connections }: Running): void {
    if (!process.alive) return;
    world.note("a gateway died");
    process.alive = false;
    for (const connection of connections) world.after(0.5, null, () => connection.onReply("reset"));
    connections.clear();
  }

  /** An await at which the process may crash. */
  async function point(mine: Running, what: string, ms: number): Promise<void> {
    world.note(what);
    if (chance.hits(rates.of("gateway_crashes") * 0.1)) {
      if (running === mine) crash(chance.between(20, 3000));
      else kill(mine);
    }
    await world.pause(ms, mine.process);
  }

  async function serve(mine: Running, call: Call, connection: Connection): Promise<void> {
    const { billing } = mine;
    const admission = await billing.admit({ walletHash: call.walletHash, isKeyed: call.key !== undefined });
    await point(mine, "admitted", 0.1);
    if (admission.kind !== "admitted") return send(mine, connection, refusal(admission));

    await point(mine, "the router decides", 1 + chance.next());
    if (chance.hits(rates.of("router"))) return send(mine, connection, refusal({ status: 502, code: "router_failed" }));
    // Each decision is unique, so a response identifies its decision.
    const body = `decision ${call.id} of ${name} at step ${world.step}`;
    const { walletHash, key, op, req } = call;
    const outcome = await billing.charge({
      walletHash,
      key,
      op,
      req,
      res: body,
      ...(key && { sealed: `sealed ${body}` }),
    });
    await point(mine, "charged", 0.05);
    if (outcome.kind === "charged") return deliver(mine, connection, { outcome, body });
    send(mine, connection, replyOf(outcome));
  }

  /** A response counts as delivered as soon as the kernel has it. */
  async function deliver(
    mine: Running,
    connection: Connection,
    { outcome, body }: { readonly outcome: Charged; readonly body: string },
  ): Promise<void> {
    const isSlow = chance.hits(2 * rates.of("slow_answers"));
    await point(mine, "answering", isSlow ? 5000 * chance.next() : chance.next());
    if (connection.isOpen && !outcome.signal.aborted) {
      truth.finished(outcome.chargeId);
      world.note("delivered");
      outcome.delivered();
      return send(mine, connection, { ...billedReply(outcome), body, isReplay: false });
    }
    world.note("left before the end");
    mine.connections.delete(connection);
    outcome.aborted("client_gone");
    if (connection.isOpen) connection.onReply("reset");
  }

  function send(mine: Running, connection: Connection, reply: Reply): void {
    mine.connections.delete(connection);
    const isLost = chance.hits(rates.of("loss"));
    world.after(0.1 + chance.next(), null, () => connection.onReply(isLost ? "reset" : reply));
  }
}

function refusal(what: {
  readonly status: number;
  readonly code: string;
  readonly balanceMicro?: number | null;
}): Reply {
  const { status, code, balanceMicro = null } = what;
  return { status, code, balanceMicro, chargeId: null, receipt: null, body: null, isReplay: false };
}

function billedReply({ chargeId, receipt, balanceMicro }: Charged | Extract<ChargeOutcome, { kind: "replayed" }>) {
  return { status: 200, code: null, chargeId, receipt, balanceMicro };
}

function replyOf(outcome: Exclude<ChargeOutcome, Charged>): Reply {
  if (outcome.kind !== "replayed") return refusal(outcome);
  return { ...billedReply(outcome), body: outcome.sealed?.replace("sealed ", "") ?? null, isReplay: true };
}
