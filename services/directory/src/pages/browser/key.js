/**
 * Where the key lives: `sessionStorage` of this tab. It may arrive in the fragment (`/carte#key=…`), which is taken out of the
 * address before anything else happens, so that it is never sent, bookmarked or left in the history entry. One that came as
 * `?key=`, as the API takes it, was sent already; it is taken out all the same.
 */
const SLOT = "triptych.directory.key";

/** Takes a key out of the fragment, keeps it, and returns the key of this tab, or null. @returns {string | null} */
export function takeKey() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const query = new URLSearchParams(location.search);
  const arrived = fragment.get("key") ?? query.get("key");
  if (arrived !== null) {
    const search = query.has("key") ? without(query) : location.search.slice(1);
    const rest = without(fragment);
    const address = location.pathname + (search === "" ? "" : `?${search}`) + (rest === "" ? "" : `#${rest}`);
    history.replaceState(history.state, "", address);
    keepKey(arrived);
  }
  return sessionStorage.getItem(SLOT);
}

function without(/** @type {URLSearchParams} */ params) {
  params.delete("key");
  return params.toString();
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
