/** The wallet page: who asks, what is there, what can be done. */
import { ApiProblem, createApi } from "./api.js";
import { showBalance } from "./balance.js";
import { byId } from "./dom.js";
import { createEntries } from "./entries.js";
import { createProof } from "./receipt.js";
import { forgetToken, keepToken, keptToken } from "./token.js";
import { createTopUp } from "./top-up.js";
import { sentenceOf } from "./words.js";

/** @typedef {import("./api.js").Api} Api */

const form = byId("token-form", HTMLFormElement);
const input = byId("token", HTMLInputElement);
const refused = byId("token-refused", HTMLElement);
const closed = byId("closed", HTMLElement);
const contents = byId("contents", HTMLElement);
const session = byId("session", HTMLElement);

/** @type {Api | null} */
let api = null;
const proof = createProof();
const entries = createEntries((chargeId) => void proveCharge(chargeId));
const topUp = createTopUp(
  () => api,
  () => refresh(),
);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const token = input.value.trim();
  if (token !== "") void open(token);
});
byId("forget", HTMLButtonElement).addEventListener("click", forget);
byId("refresh", HTMLButtonElement).addEventListener("click", () => void refresh());

async function open(/** @type {string} */ token) {
  refused.textContent = "";
  const asked = createApi(token);
  try {
    showBalance(await asked.wallet());
  } catch (fault) {
    // A token that opens nothing is not kept; a rail that is away for a moment must not cost it.
    if (fault instanceof ApiProblem && fault.status === 401) forgetToken();
    refused.textContent = sentenceOf(fault);
    return;
  }
  keepToken(token);
  api = asked;
  input.value = "";
  show(true);
  await entries.show(asked);
}

async function refresh() {
  if (api === null) return;
  try {
    showBalance(await api.wallet());
    await entries.show(api);
  } catch (fault) {
    if (!(fault instanceof ApiProblem) || fault.status !== 401) return;
    forget();
    refused.textContent = sentenceOf(fault);
  }
}

function forget() {
  forgetToken();
  api = null;
  entries.clear();
  topUp.clear();
  show(false);
  input.focus();
}

function show(/** @type {boolean} */ isOpen) {
  contents.hidden = !isOpen;
  session.hidden = !isOpen;
  closed.hidden = isOpen;
}

async function proveCharge(/** @type {string} */ chargeId) {
  if (api === null) return;
  try {
    await proof.show(await api.receipt(chargeId));
  } catch (fault) {
    proof.refuse(fault);
  }
}

const kept = keptToken();
if (kept !== null) void open(kept);
