/** Removes the code from the address first, and redeems it when the user confirms. */
import { byId } from "/docs/dom.js";

/** Per link purpose: endpoint, button label, and success text. */
const PURPOSES = {
  recover: {
    path: "/v1/wallets/recover/redeem",
    title: "Create a new wallet token",
    why: "The old token stops working immediately.",
    act: "Create token",
    done: (/** @type {Answer} */ _answer) => "This is your new token. Copy it now: it will not be shown again.",
  },
  verify: {
    path: "/v1/wallets/verify",
    title: "Verify your email address",
    why: "Your wallet receives the starter credit after verification.",
    act: "Verify email address",
    done: (/** @type {Answer} */ { starter_credit }) =>
      `Verified. Starter credit: ${formatStatus(starter_credit?.status)}.`,
  },
};

/** @typedef {{ wallet_token?: string, starter_credit?: { status: string }, detail?: string, errors?: { message: string }[] }} Answer */

const title = byId("what", HTMLElement);
const why = byId("why", HTMLElement);
const go = byId("go", HTMLButtonElement);
const outcome = byId("outcome", HTMLElement);
const tokenOutput = byId("shown", HTMLElement);

const [name = "", code = ""] = location.hash.slice(1).split("=");
history.replaceState(null, "", location.pathname);
const purpose = name === "recover" || name === "verify" ? PURPOSES[name] : null;

if (purpose === null || code === "") {
  why.textContent = "This link is incomplete. Copy it from the email again.";
} else {
  title.textContent = purpose.title;
  why.textContent = purpose.why;
  go.textContent = purpose.act;
  go.hidden = false;
  go.addEventListener("click", () => void use(purpose));
}

/** @param {(typeof PURPOSES)["recover"]} purpose */
async function use({ path, done }) {
  go.disabled = true;
  outcome.className = "said";
  outcome.textContent = "Please wait…";
  try {
    const answer = await send(path);
    go.hidden = true;
    outcome.textContent = done(answer);
    tokenOutput.textContent = answer.wallet_token ?? "";
    tokenOutput.hidden = answer.wallet_token === undefined;
  } catch (error) {
    outcome.className = "refused";
    outcome.textContent = error instanceof Error ? error.message : "Something went wrong. Try again.";
    go.disabled = false;
  }
}

/** @param {string} path @returns {Promise<Answer>} */
async function send(path) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify({ code }) });
  /** @type {Answer} */
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.errors?.[0]?.message ?? answer.detail ?? "Something went wrong. Try again.");
  return answer;
}

/** @param {string | undefined} status */
function formatStatus(status = "") {
  return status.replaceAll("_", " ");
}
