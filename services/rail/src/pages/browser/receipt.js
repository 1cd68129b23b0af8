/** The proof of a receipt: made here, in the browser, from the published keys alone. Needs no token; nothing that is pasted is sent. */
import { publishedKeys } from "./api.js";
import { byId, el, pairs } from "./dom.js";
import { digest, keysOf, verifyReceipt } from "./verify-receipt.js";
import { euro, sentenceOf, timeOf } from "./words.js";

export function createProof() {
  const section = byId("proof", HTMLElement);
  const form = byId("proof-form", HTMLFormElement);
  const receipt = byId("receipt", HTMLTextAreaElement);
  const answer = byId("answer", HTMLTextAreaElement);
  const verdict = byId("verdict", HTMLElement);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void prove();
  });

  async function prove() {
    verdict.replaceChildren();
    try {
      const text = receipt.value.trim();
      const result = await verifyReceipt(text, keysOf(await publishedKeys()));
      verdict.replaceChildren(
        ...(result.good ? await good(result.claims, result.kid, answer.value) : bad(result.reason)),
      );
    } catch (fault) {
      verdict.replaceChildren(...bad(sentenceOf(fault)));
    }
  }

  return {
    /** Puts the receipt into the form and proves it. */
    async show(/** @type {string} */ text) {
      receipt.value = text;
      answer.value = "";
      section.scrollIntoView({ block: "start" });
      receipt.focus({ preventScroll: true });
      await prove();
    },
    refuse: (/** @type {unknown} */ fault) => verdict.replaceChildren(...bad(sentenceOf(fault))),
  };
}

/** @param {string} reason @returns {Node[]} */
function bad(reason) {
  return [el("p", { class: "mark bad" }, [el("strong", {}, ["Not good. "]), reason])];
}

/**
 * @param {import("./verify-receipt.js").Claims} claims
 * @param {string} kid
 * @param {string} answer
 * @returns {Promise<Node[]>}
 */
async function good(claims, kid, answer) {
  const isGivenFor = answer === "" ? null : (await digest(new TextEncoder().encode(answer))) === claims.res;
  if (isGivenFor === false)
    return bad("The receipt is genuine, but was given for another answer than this one, byte for byte.");
  const also = isGivenFor === null ? "" : " It was given for exactly this answer.";
  return [
    el("p", { class: "mark good" }, [el("strong", {}, ["Good. "]), `Signed by this rail and unchanged since.${also}`]),
    pairs([
      ["Charge", claims.jti],
      ["Wallet", claims.sub],
      ["Time", timeOf(new Date(claims.iat * 1000).toISOString())],
      ["Operation", claims.op],
      ["Amount", euro(claims.amt)],
      ["Balance after", `${euro(claims.bal)}, entry ${claims.seq}`],
      ["Request", claims.req ?? "none"],
      ["Answer", claims.res ?? "none"],
      ["Rail", claims.iss],
      ["Key", kid],
    ]),
    el("p", { class: "why soft" }, ["Whether the charge was given back later is in the entries of its wallet."]),
  ];
}
