/**
 * Callers of decisions. Some send keys and retry until they get a response, some retry without a key, as other SDKs do,
 * and some send duplicates concurrently or disconnect. Every reply is checked against the ledger and the simulated
 * world.
 */
import type { Call, Connection, Gateway, Reply } from "./gateway.ts";
import type { Rows } from "./rows.ts";
import type { Rates } from "./scenario.ts";
import type { Truth } from "./truth.ts";
import { demand } from "./violation.ts";
import type { World } from "./world.ts";

export interface Callers {
  /** Stops new calls; running calls finish. */
  rest(): void;
  /** Number of unfinished calls. */
  readonly busy: number;
}

export interface CallersOptions {
  readonly world: World;
  readonly rates: Rates;
  readonly gateways: readonly Gateway[];
  readonly rows: Rows;
  readonly truth: Truth;
  readonly tokens: readonly string[];
  readonly count: number;
}

const OPS = ["route", "score"];
const REQUEST_TIMEOUT_MS = 10_000;
const TRIES = 12;

export function createCallers({ world, rates, gateways, rows, truth, tokens, count }: CallersOptions): Callers {
  const { chance } = world;
  const requests = new Map<string, Set<string>>();
  const uses = new Map<string, number>();
  let isResting = false;
  let busy = 0;
  let made = 0;
  for (let caller = 0; caller < count; caller++) world.run(live());

  return {
    rest: () => void (isResting = true),
    get busy() {
      return busy;
    },
  };

  async function live(): Promise<void> {
    const keys: Call[] = [];
    for (;;) {
      await world.pause(2 * rates.thinkMs * chance.next(), null);
      if (isResting) return;
      const call = next(keys);
      const twice = call.key !== undefined && chance.hits(0.1);
      if (twice) world.run(insist(call));
      await insist(call);
    }
  }

  /** Returns a new call. Sometimes it has an old key, with the same or another request. */
  function next(keys: Call[]): Call {
    const id = `c${++made}`;
    const fresh = { id, walletHash: chance.pick(tokens), op: chance.pick(OPS), req: `request ${chance.between(1, 5)}` };
    if (!chance.hits(rates.keyed)) return { ...fresh, key: undefined };
    if (keys.length > 0 && chance.hits(0.2)) {
      const old = chance.pick(keys);
      return chance.hits(0.2) ? { ...old, req: fresh.req } : old;
    }
    const call = { ...fresh, key: `key-${made}` };
    keys.push(call);
    return call;
  }

  /** Retries until it gets a final response or has no retries left. */
  async function insist(call: Call): Promise<void> {
    busy++;
    const name = nameOf(call);
    requests.set(name, (requests.get(name) ?? new Set()).add(call.req));
    for (let tried = 0; tried < TRIES; tried++) {
      const since = world.step;
      uses.set(name, (uses.get(name) ?? 0) + 1);
      const reply = await ask(call);
      if (reply === "gone") break;
      if (reply !== "reset") {
        world.note(`answered ${reply.status}${reply.isReplay ? " again" : ""}`);
        judgeReply(call, reply, since);
        if (![409, 502, 503].includes(reply.status)) break;
      }
      await world.pause(chance.between(20, 1000), null);
    }
    busy--;
  }

  function ask(call: Call): Promise<Reply | "reset" | "gone"> {
    return new Promise((resolve) => {
      const connection: Connection = {
        isOpen: true,
        onReply(reply) {
          if (!connection.isOpen) return;
          connection.isOpen = false;
          resolve(reply);
        },
      };
      chance.pick(gateways).call(call, connection);
      const leaves = chance.hits(rates.of("disconnects"));
      world.after(leaves ? 10 * chance.next() : REQUEST_TIMEOUT_MS, null, () => {
        if (!connection.isOpen) return;
        connection.isOpen = false;
        resolve(leaves ? "gone" : "reset");
      });
    });
  }

  function judgeReply(call: Call, reply: Reply, since: number): void {
    if (reply.status === 200) return judgeAnswer(call, reply);
    const about = () => `${nameOf(call)} received ${reply.status} ${reply.code}`;
    demand(reply.chargeId === null, "replies", about);
    if (reply.code === "cap_reached") world.note("a cap was reached");
    if (reply.status === 402 || reply.status === 403)
      demand(truth.refusedAt(call.walletHash, reply.code ?? "") >= since, "refusals", about);
    if (reply.status === 409) demand(call.key !== undefined && (uses.get(nameOf(call)) ?? 0) > 1, "replies", about);
    if (reply.status === 422) demand((requests.get(nameOf(call))?.size ?? 0) > 1, "replies", about);
  }

  /** Checks that a paid response matches its charge, and that the receipt covers request and response. */
  function judgeAnswer(call: Call, reply: Reply): void {
    const charge = rows.charges.get(reply.chargeId ?? "");
    const about = () => `${nameOf(call)} received ${reply.chargeId}${reply.isReplay ? " again" : ""}`;
    demand(charge !== undefined, "L9", about);
    demand(charge.walletId === rows.tokens.get(call.walletHash) && charge.op === call.op, "replies", about);
    const tokenId = rows.subTokenOf(call.walletHash)?.id ?? null;
    demand(charge.tokenId === tokenId, "caps", () => `${about()}, paid by ${charge.tokenId}`);
    demand(charge.req === call.req && charge.res === reply.body, "receipts", about);
    demand((charge.idk === null) === (call.key === undefined), "receipts", about);
    demand(reply.balanceMicro === charge.balanceAfterMicro, "replies", about);
    demand(truth.isFinished(charge.id), "replies", about);
  }
}

function nameOf({ walletHash, op, key, id }: Call): string {
  return key === undefined ? id : `${walletHash} ${op} ${key}`;
}
