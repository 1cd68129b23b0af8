/** Passwords: argon2id with 19 MiB and two passes, in the thread pool, at most four in parallel. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { hashRaw } from "@node-rs/argon2";
import type { Passwords } from "../domain/panel.ts";

const DEFAULT_COST: Cost = { memory: 19 * 1024, passes: 2 };
const CONCURRENCY_MAX = 4;
const FORM = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=1\$([\w-]+)\$([\w-]+)$/;

export function createPasswords(cost = DEFAULT_COST): Passwords {
  const limit = createLimiter(CONCURRENCY_MAX);
  /** Verified against for unknown accounts, so that timing does not reveal whether an account exists. */
  const nobody = encode(cost, randomBytes(16), randomBytes(32));
  return {
    async hash(password) {
      const nonce = randomBytes(16);
      return encode(cost, nonce, await limit(() => derive({ password, nonce, ...cost })));
    },
    async verify(password, hash) {
      const [, memory = "", passes = "", nonce = "", digest = ""] = FORM.exec(hash ?? nobody) ?? [];
      const params = {
        password,
        nonce: Buffer.from(nonce, "base64url"),
        memory: Number(memory),
        passes: Number(passes),
      };
      const derived = await limit(() => derive(params));
      return timingSafeEqual(derived, Buffer.from(digest, "base64url")) && hash !== null;
    },
  };
}

interface Cost {
  readonly memory: number;
  readonly passes: number;
}

function encode({ memory, passes }: Cost, nonce: Buffer, digest: Buffer): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=1$${nonce.toString("base64url")}$${digest.toString("base64url")}`;
}

/** Argon2id is the library's default algorithm. */
function derive({ password, nonce, memory, passes }: Cost & { password: string; nonce: Buffer }): Promise<Buffer> {
  return hashRaw(password, { salt: nonce, parallelism: 1, outputLen: 32, memoryCost: memory, timeCost: passes });
}

/** Further calls wait, because more in parallel would fill the thread pool and memory. */
function createLimiter(most: number) {
  let free = most;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    }
  };
}
