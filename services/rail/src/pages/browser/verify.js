/**
 * The verification page: checks receipts and chains in the browser, from published keys. It has no token and sends no
 * pasted text.
 */
import { byId, el, pairs } from "/docs/dom.js";
import "/docs/copy.js";
import { publishedKeys } from "./api.js";
import { readEntries } from "./read-entries.js";
import { verifyChain } from "./verify-chain.js";
import { canVerify, digest, keysOf, verifyReceipt } from "./verify-receipt.js";
import { count, euro, sentenceOf, timeOf } from "./labels.js";

const receipt = byId("receipt", HTMLTextAreaElement);
const answer = byId("answer", HTMLTextAreaElement);
const verdict = byId("verdict", HTMLElement);
const chain = byId("chain", HTMLTextAreaElement);
const chainVerdict = byId("chain-verdict", HTMLElement);

byId("receipt-form", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  void prove();
});
byId("chain-form", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  void checkChain();
});
window.addEventListener("hashchange", takeReceipt);

const isAble = await canVerify();
byId("unable", HTMLElement).hidden = isAble;
for (const form of document.querySelectorAll("main form button"))
  if (form instanceof HTMLButtonElement) form.disabled = !isAble;
takeReceipt();

/** A receipt may be in the fragment of the URL, which browsers do not send. */
function takeReceipt() {
  const arrived = new URLSearchParams(location.hash.slice(1));
  const text = arrived.get("receipt");
  if (text === null) return;
  history.replaceState(null, "", location.pathname);
  receipt.value = text;
  answer.value = arrived.get("answer") ?? "";
  if (isAble) void prove();
}

async function prove() {
  verdict.replaceChildren();
  try {
    const result = await verifyReceipt(receipt.value.trim(), keysOf(await publishedKeys()));
    if (result.good) verdict.replaceChildren(...(await good(result.claims, result.kid)));
    else if (result.error === "key_unknown")
      verdict.replaceChildren(mark("unsure", "Key unknown. ", unknown(result.reason)));
    else verdict.replaceChildren(mark("bad", "Invalid. ", result.reason));
  } catch (error) {
    verdict.replaceChildren(mark("unsure", "Not checked. ", sentenceOf(error)));
  }
}

/** @param {"good" | "bad" | "unsure"} kind @param {string} label @param {string} sentence */
function mark(kind, label, sentence) {
  return el("p", { class: `mark ${kind}` }, [el("strong", {}, [label]), sentence]);
}

/** @param {string} reason */
function unknown(reason) {
  return `${reason} The receipt may belong to another rail.`;
}

/** @param {import("./verify-receipt.js").Claims} claims @param {string} kid @returns {Promise<Node[]>} */
async function good(claims, kid) {
  const answerText = answer.value;
  const matchesAnswer = answerText === "" ? null : (await digest(new TextEncoder().encode(answerText))) === claims.res;
  if (matchesAnswer === false)
    return [mark("bad", "Invalid. ", "The receipt is genuine, but belongs to a different response.")];
  const also = matchesAnswer === null ? "" : " It matches this response.";
  return [
    mark("good", "Valid. ", `Signed by this rail and unmodified.${also}`),
    pairs([
      ["Charge", claims.jti],
      ["Wallet", claims.sub],
      ["Time", timeOf(new Date(claims.iat * 1000).toISOString())],
      ["Operation", claims.op],
      ["Amount", euro(claims.amt)],
      ["Balance after", `${euro(claims.bal)}, entry ${claims.seq}`],
      ["Request", claims.req ?? "none"],
      ["Response", claims.res ?? "none"],
      ["Rail", claims.iss],
      ["Key", kid],
    ]),
    el("p", { class: "why soft" }, ["A later refund is listed in the wallet's transactions."]),
  ];
}

async function checkChain() {
  const { entries, issue } = readEntries(chain.value);
  if (issue !== null) return chainVerdict.replaceChildren(mark("unsure", "Not checked. ", issue));
  const { issues, balanceMicro } = await verifyChain(entries);
  if (issues.length === 0) {
    const what = `${count(entries.length)} entries without gaps, hash chain intact. Balance: ${euro(balanceMicro)}.`;
    return chainVerdict.replaceChildren(mark("good", "Valid. ", what));
  }
  const list = issues.map((text) => el("li", {}, [text]));
  return chainVerdict.replaceChildren(mark("bad", "Invalid. ", "The chain is broken:"), el("ul", {}, list));
}
