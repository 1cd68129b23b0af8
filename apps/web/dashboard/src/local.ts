/** Local preferences of this browser, never a credential. */
import { createStore, type Store } from "./store.ts";

export function remembered<T extends string>(name: string, allowed: readonly T[], byDefault: T): Store<T> {
  const store = createStore<T>(allowed.find((value) => value === read(name)) ?? byDefault);
  store.watch(() => write(name, store.get()));
  return store;
}

/** Storage may be blocked; preferences then last as long as the tab. */
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
