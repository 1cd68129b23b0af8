/**
 * Where the key lives: `sessionStorage` of this tab. It may arrive in the fragment (`/carte#key=…`), which is taken out of the
 * address before anything else happens, so that it is never sent, bookmarked or left in the history entry.
 */
const SLOT = "triptych.directory.key";

/** Takes a key out of the fragment, keeps it, and returns the key of this tab, or null. @returns {string | null} */
export function takeKey() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const arrived = fragment.get("key");
  if (arrived !== null) {
    fragment.delete("key");
    const rest = fragment.toString();
    history.replaceState(history.state, "", location.pathname + location.search + (rest === "" ? "" : `#${rest}`));
    keepKey(arrived);
  }
  return sessionStorage.getItem(SLOT);
}

export function keepKey(/** @type {string} */ key) {
  const text = key.trim();
  if (text !== "") sessionStorage.setItem(SLOT, text);
}

export function forgetKey() {
  sessionStorage.removeItem(SLOT);
}

// This module is also a script of its own at the head of the page: the key leaves the address before the rest is loaded.
takeKey();
