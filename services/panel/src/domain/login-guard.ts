/**
 * Counts failed sign-ins over 15 minutes: by address and email, and with four times the limit by address alone and by email alone. IPv6
 * addresses count by /64, the usual allocation of one customer.
 */
import ipaddr from "ipaddr.js";

export interface LoginGuard {
  /** Milliseconds to wait; null when an attempt is allowed. */
  waitOf(ip: string, email: string, now: number): number | null;
  failed(ip: string, email: string, now: number): void;
  /** Removes this attempt from the count: only failures count. */
  succeeded(ip: string, email: string, at: number): void;
}

const SPAN_MS = 15 * 60_000;
const PER_NAME = 4;
/** Delay between attempts for an email for which too many addresses have failed. */
const SLOW_MS = 60_000;
/** Attempts of others do not slow down an address from which the owner has signed in. */
const TRUSTED_MS = 30 * 86_400_000;
/** More than the legitimate traffic of 15 minutes. Beyond it the oldest entries are dropped, which bounds memory. */
const COUNTERS_MAX = 50_000;

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
  if (map.size > COUNTERS_MAX && oldest !== undefined) map.delete(oldest);
}

/** Sign-in links carry no email, so there is no account to count by. */
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
