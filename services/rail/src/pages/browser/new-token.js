/** New tokens, after creation or rotation. A token is shown once, at the top, until the owner has stored it. */
/** @typedef {import("./api.js").Api} Api */
import { byId, copyText } from "/docs/dom.js";
import { makeWallet } from "./api.js";
import { sentenceOf, timeOf } from "./labels.js";

/** @param {{ api: () => Api | null, onToken: (token: string) => Promise<void> }} options */
export function createNewToken({ api, onToken }) {
  const box = byId("new-token-box", HTMLElement);
  const tokenOutput = byId("new-token", HTMLElement);
  const statusLine = byId("new-token-said", HTMLElement);
  const email = byId("email", HTMLInputElement);
  const grace = byId("rotate-grace", HTMLSelectElement);
  const ask = byId("rotate-ask", HTMLDialogElement);
  /**
   * The creation without a response yet: the same address reuses its key.
   * @type {{ email: string, key: string } | null}
   */
  let request = null;

  byId("make-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    void make();
  });
  byId("rotate-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    const when = grace.selectedOptions[0]?.textContent ?? "";
    byId("rotate-ask-what", HTMLElement).textContent = `The old token expires ${when}. The new token is shown once.`;
    ask.returnValue = "";
    ask.showModal();
  });
  ask.addEventListener("close", () => void (ask.returnValue === "yes" && rotate()));
  byId("new-token-copy", HTMLButtonElement).addEventListener("click", () => void copy());
  byId("new-token-kept", HTMLButtonElement).addEventListener("click", clear);

  async function make() {
    const refused = byId("make-refused", HTMLElement);
    refused.textContent = "";
    if (request?.email !== email.value) request = { email: email.value, key: crypto.randomUUID() };
    try {
      const { wallet_token } = await makeWallet(request.email, request.key);
      request = null;
      email.value = "";
      await show(wallet_token, "This is the token of your new wallet. Save it now: it will not be shown again.");
    } catch (error) {
      refused.textContent = sentenceOf(error);
    }
  }

  async function rotate() {
    const refused = byId("rotate-said", HTMLElement);
    refused.textContent = "";
    const current = api();
    if (current === null) return;
    try {
      const { wallet_token, previous_valid_until } = await current.rotate(Number(grace.value));
      const until = timeOf(previous_valid_until);
      await show(
        wallet_token,
        `This is your new token. Save it now: it will not be shown again. The old token expires ${until}.`,
      );
    } catch (error) {
      refused.textContent = sentenceOf(error);
    }
  }

  /** @param {string} token @param {string} what */
  async function show(token, what) {
    byId("new-token-what", HTMLElement).textContent = what;
    tokenOutput.textContent = token;
    statusLine.textContent = "";
    box.hidden = false;
    box.scrollIntoView({ block: "center" });
    await onToken(token);
  }

  async function copy() {
    statusLine.textContent = (await copyText(tokenOutput.textContent))
      ? "Copied"
      : "Copy failed. Select the text instead.";
  }

  function clear() {
    box.hidden = true;
    tokenOutput.textContent = "";
  }

  return { clear };
}
