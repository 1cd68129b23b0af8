/**
 * Failures to sign in, counted over 15 minutes: by address and e-mail, four times as many by address alone, and as many by e-mail alone.
 * An address of IPv6 counts by its /64, which is what one customer of a provider has.
 */
import ipaddr from "ipaddr.js";

export interface LoginGuard {
  /** Milliseconds to wait; null when another attempt is allowed. */
  waitOf(ip: string, email: string, now: number): number | null;
  failed(ip: string, email: string, now: number): void;
  /** Takes the attempt of this moment back: only failures count. */
  succeeded(ip: string, email: string, at: number): void;
}

const SPAN_MS = 15 * 60_000;
const PER_NAME = 4;
/** Between attempts for an e-mail that too many addresses have failed for. */
const SLOW_MS = 60_000;
/** An address from which the owner signed in is not slowed down by what others try. */
const TRUSTED_MS = 30 * 86_400_000;
/** More names than any honest quarter of an hour has: beyond, the oldest are forgotten, so that memory has an end. */
const NAMES_MOST = 50_000;

export function createLoginGuard(failuresMost: number): LoginGuard {
  const failures = new Map<string, readonly number[]>();
  const signedIn = new Map<string, number>();
  const recent = (name: string, now: number) => (failures.get(name) ?? []).filter((at) => at > now - SPAN_MS);

  return {
    waitOf(ip, email, now) {
      const names = namesOf(ip, email);
      const until = (name: string, most: number) => {
        const times = recent(name, now);
        return times.length < most ? now : (times[0] ?? now) + SPAN_MS;
      };
      const isTrusted = now - (signedIn.get(names.pair) ?? -Infinity) < TRUSTED_MS;
      const ofAccount = isTrusted || names.account === null ? [] : recent(names.account, now);
      const slow = ofAccount.length < failuresMost * PER_NAME ? now : (ofAccount.at(-1) ?? now) + SLOW_MS;
      const wait = Math.max(until(names.pair, failuresMost), until(names.address, failuresMost * PER_NAME), slow) - now;
      return wait > 0 ? wait : null;
    },
    failed(ip, email, now) {
      const { pair, address, account } = namesOf(ip, email);
      const add = (name: string, most: number) => remember(failures, name, [...recent(name, now), now].slice(-most));
      add(pair, failuresMost);
      add(address, failuresMost * PER_NAME);
      if (account !== null) add(account, failuresMost * PER_NAME);
    },
    succeeded(ip, email, at) {
      const { pair, address, account } = namesOf(ip, email);
      for (const name of [pair, address, account]) {
        const times = name === null ? [] : (failures.get(name) ?? []);
        const index = times.lastIndexOf(at);
        if (name !== null && index >= 0) failures.set(name, times.toSpliced(index, 1));
      }
      remember(signedIn, pair, at);
    },
  };
}

function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name);
  map.set(name, value);
  const [oldest] = map.keys();
  if (map.size > NAMES_MOST && oldest !== undefined) map.delete(oldest);
}

/** Links are tried without an e-mail: then there is no account to count by. */
function namesOf(ip: string, email: string): { pair: string; address: string; account: string | null } {
  const address = networkOf(ip);
  return { pair: `${address} ${email}`, address, account: email === "" ? null : `account ${email}` };
}

function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
