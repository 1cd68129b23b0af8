/** Local preferences of this browser (never a credential), and whether the panel runs on this machine. */
import { createStore, type Store } from "./store.ts";

export function remembered<T extends string>(name: string, allowed: readonly T[], byDefault: T): Store<T> {
  const store = createStore<T>(allowed.find((value) => value === read(name)) ?? byDefault);
  store.watch(() => write(name, store.get()));
  return store;
}

/** Storage may be blocked: then preferences last as long as the tab. */
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

/** Whether the panel runs on the user's machine: then the user can read its files. */
export function isLoopback(): boolean {
  const { hostname } = location;
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}
