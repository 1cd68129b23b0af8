/** The wallet page: sign-in, balance, actions. */
import { ApiProblem, createApi } from "./api.js";
import { showBalance } from "./balance.js";
import { byId } from "/docs/dom.js";
import { createAutoTopUp } from "./auto-top-up.js";
import { createEntries } from "./entries.js";
import { createNewToken } from "./new-token.js";
import { createStatement } from "./statement.js";
import { forgetToken, keepToken, storedToken } from "./token.js";
import { createTopUp } from "./top-up.js";
import { createUsage } from "./usage.js";
import { sentenceOf } from "./labels.js";

/** @typedef {import("./api.js").Api} Api */

const form = byId("token-form", HTMLFormElement);
const input = byId("token", HTMLInputElement);
const refused = byId("token-refused", HTMLElement);
const closed = byId("closed", HTMLElement);
const contents = byId("contents", HTMLElement);
const session = byId("session", HTMLElement);

/** @type {Api | null} */
let api = null;
const entries = createEntries((chargeId) => void proveCharge(chargeId));
const topUp = createTopUp(
  () => api,
  () => refresh(),
);
const autoTopUp = createAutoTopUp(() => api);
const usage = createUsage();
const statement = createStatement(() => api);
const newToken = createNewToken({ api: () => api, onToken: open });
const away = byId("away", HTMLElement);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const token = input.value.trim();
  if (token !== "") void open(token);
});
byId("forget", HTMLButtonElement).addEventListener("click", forget);
byId("refresh", HTMLButtonElement).addEventListener("click", () => void refresh());

async function open(/** @type {string} */ token) {
  refused.textContent = "";
  const newApi = createApi(token);
  try {
    showWallet(await newApi.wallet());
  } catch (error) {
    // Forget a rejected token only; a temporary outage must not remove it.
    if (error instanceof ApiProblem && error.status === 401) forgetToken();
    refused.textContent = sentenceOf(error);
    return;
  }
  keepToken(token);
  api = newApi;
  input.value = "";
  show(true);
  await Promise.all([entries.show(newApi), usage.show(newApi)]);
}

function showWallet(/** @type {import("./api.js").Wallet} */ wallet) {
  away.textContent = "";
  showBalance(wallet);
  autoTopUp.show(wallet.auto_topup);
  statement.show(wallet.created_at);
}

async function refresh() {
  if (api === null) return;
  try {
    showWallet(await api.wallet());
    await Promise.all([entries.show(api), usage.show(api)]);
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) {
      forget();
      refused.textContent = sentenceOf(error);
    } else away.textContent = sentenceOf(error);
  }
}

function forget() {
  forgetToken();
  api = null;
  entries.clear();
  topUp.clear();
  autoTopUp.clear();
  usage.clear();
  statement.clear();
  newToken.clear();
  show(false);
  input.focus();
}

function show(/** @type {boolean} */ isOpen) {
  contents.hidden = !isOpen;
  session.hidden = !isOpen;
  closed.hidden = isOpen;
}

/** The verification page reads the receipt from its URL fragment, which browsers do not send. */
async function proveCharge(/** @type {string} */ chargeId) {
  if (api === null) return;
  try {
    location.assign(`/verify#receipt=${await api.receipt(chargeId)}`);
  } catch (error) {
    away.textContent = sentenceOf(error);
  }
}

const stored = storedToken();
if (stored !== null) void open(stored);
