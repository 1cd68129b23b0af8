/** Where the wallet's token lives: `sessionStorage` of this tab, and a header of the requests to this rail. Never in an address. */
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
