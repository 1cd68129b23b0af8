/** What this browser remembers of how its person likes to work. Never a credential. */
import { createStore, type Store } from "./store.ts";

export function remembered<T extends string>(name: string, known: readonly T[], byDefault: T): Store<T> {
  const store = createStore<T>(known.find((one) => one === read(name)) ?? byDefault);
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
