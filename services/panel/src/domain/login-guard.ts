/** Failures of signing in, counted over 15 minutes by address and e-mail, and four times as many by address alone. */
export interface LoginGuard {
  /** Milliseconds to wait; null when another try is free. */
  waitOf(ip: string, email: string, now: number): number | null;
  failed(ip: string, email: string, now: number): void;
  /** Takes the try of this moment back: only failures count. */
  succeeded(ip: string, email: string, at: number): void;
}

const SPAN_MS = 15 * 60_000;
const PER_ADDRESS = 4;
/** More names than any honest quarter of an hour has: beyond, the oldest are forgotten, so that memory has an end. */
const NAMES_MOST = 50_000;

export function createLoginGuard(failuresMost: number): LoginGuard {
  const failures = new Map<string, number[]>();
  const recent = (name: string, now: number) => (failures.get(name) ?? []).filter((at) => at > now - SPAN_MS);
  const add = (name: string, now: number, most: number) => {
    const times = [...recent(name, now), now].slice(-most);
    failures.delete(name);
    failures.set(name, times);
    const [oldest] = failures.keys();
    if (failures.size > NAMES_MOST && oldest !== undefined) failures.delete(oldest);
  };
  const namesOf = (ip: string, email: string) =>
    [
      [`${ip} ${email}`, failuresMost],
      [ip, failuresMost * PER_ADDRESS],
    ] as const;
  return {
    waitOf(ip, email, now) {
      const waits = namesOf(ip, email).map(([name, most]) => {
        const times = recent(name, now);
        return times.length < most ? 0 : (times[0] ?? now) + SPAN_MS - now;
      });
      const wait = Math.max(...waits);
      return wait > 0 ? wait : null;
    },
    failed(ip, email, now) {
      for (const [name, most] of namesOf(ip, email)) add(name, now, most);
    },
    succeeded(ip, email, at) {
      for (const [name] of namesOf(ip, email)) {
        const times = failures.get(name) ?? [];
        const place = times.lastIndexOf(at);
        if (place >= 0) failures.set(name, times.toSpliced(place, 1));
      }
    },
  };
}
