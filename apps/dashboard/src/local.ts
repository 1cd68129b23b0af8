/** Of this machine: what this browser remembers of how its person likes to work (never a credential), and whether the panel is here too. */
import { createStore, type Store } from "./store.ts";

export function remembered<T extends string>(name: string, allowed: readonly T[], byDefault: T): Store<T> {
  const store = createStore<T>(allowed.find((value) => value === read(name)) ?? byDefault);
  store.watch(() => write(name, store.get()));
  return store;
}

/** A browser may forbid it: then it is remembered as long as the tab is open. */
function read(name: string): string | null {
  try {
    return localStorage.getItem(`triptych.${name}`);
  } catch {
    return null;
  }
}

function write(name: string, value: string): void {
  try {
    localStorage.setItem(`triptych.${name}`, value);
  } catch {
    return;
  }
}

/** Whether the panel runs on the machine of who looks: then its files are theirs to read. */
export function isLoopback(): boolean {
  const { hostname } = location;
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
