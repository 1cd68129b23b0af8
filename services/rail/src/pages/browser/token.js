/** Stores the wallet's token in `sessionStorage` of this tab. It is sent in a header, never in a URL. */
const SLOT = "triptych.rail.token";

/** @returns {string | null} */
export function storedToken() {
  return sessionStorage.getItem(SLOT);
}

export function keepToken(/** @type {string} */ token) {
  sessionStorage.setItem(SLOT, token);
}

export function forgetToken() {
  sessionStorage.removeItem(SLOT);
}
