/**
 * Stores the key in `sessionStorage` of this tab. A key in the fragment (`/carte#key=…`) is removed from the URL first,
 * so that it is never sent, bookmarked or left in the history. A key in `?key=`, as for the API, has already been sent,
 * but is removed too.
 */
const SLOT = "triptych.directory.key";

/** Moves a key from the fragment to the storage; returns this tab's key, or null. @returns {string | null} */
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

// Also loaded as a script in the head, so that the key leaves the URL before other scripts load.
takeKey();
