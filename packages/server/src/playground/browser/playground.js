/** The playground: form, request and result. Free decisions update while you type; paid ones wait for the button. */
import { byId, copyText, el } from "/docs/dom.js";
import { ApiProblem, createApi } from "./api.js";
import { euro, payingSteps, paymentParts } from "./payment.js";
import { bodyOf, choosesRoute, curlCommand, decidedText } from "./question.js";
import { answerParts } from "./render-response.js";

const TYPING_MS = 120;
const EVIDENCE = 32;
const UNAUTHORISED = 401;
const PAYMENT_REQUIRED = 402;
/** `sessionStorage` key of the wallet token in this tab. */
const SLOT = "triptych.gateway.token";

const main = document.querySelector("main");
const rail = main?.dataset["rail"] ?? "";
const priceMicro = Number(main?.dataset["priceMicro"]);
const isPaid = rail !== "";
const form = byId("question", HTMLFormElement);
const state = byId("state", HTMLTextAreaElement);
const operation = byId("operation", HTMLSelectElement);
const asMessages = byId("as-messages", HTMLInputElement);
const decider = byId("expert", HTMLSelectElement);
const options = byId("options", HTMLTextAreaElement);
const minConf = byId("min-conf", HTMLInputElement);
const maxError = byId("max-error", HTMLInputElement);
const token = byId("token", HTMLInputElement);
const refused = byId("refused", HTMLElement);
const decision = byId("decision", HTMLElement);
const payment = byId("payment", HTMLElement);
const shell = byId("shell", HTMLElement);
const curl = byId("curl", HTMLElement);
const copied = byId("copied", HTMLElement);

const api = createApi({ token: () => token.value.trim(), isPaid });
let latestRequest = 0;
let typing = 0;
let knowsExperts = false;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void decide();
});
form.addEventListener("input", () => {
  showForm();
  if (isPaid) return showCurl();
  clearTimeout(typing);
  typing = setTimeout(() => void decide(), TYPING_MS);
});
for (const example of form.querySelectorAll(".example"))
  example.addEventListener("click", () => {
    state.value = `${asMessages.checked ? "user: " : ""}${example.textContent ?? ""}`;
    if (isPaid) showCurl();
    else void decide();
  });
byId("copy", HTMLButtonElement).addEventListener("click", () => void copy());

/** @returns {import("./question.js").Form} */
function formNow() {
  return {
    operation: operation.value,
    text: state.value,
    asMessages: asMessages.checked,
    decider: decider.value,
    options: options.value,
    minConf: minConf.value,
    maxError: maxError.value,
  };
}

function showForm() {
  const chooses = choosesRoute(operation.value);
  byId("choosing", HTMLElement).hidden = !chooses;
  byId("own-options", HTMLElement).hidden = !chooses || decider.value !== "options";
  byId("messages-why", HTMLElement).hidden = !asMessages.checked;
}

function showCurl() {
  const form = formNow();
  const credential = isPaid
    ? "X-Rail-Wallet: $WALLET_TOKEN"
    : token.value === ""
      ? null
      : "Authorization: Bearer $ROUTER_TOKEN";
  curl.textContent = curlCommand(`${location.origin}/v1/${form.operation}`, bodyOf(form), credential);
  copied.textContent = "";
  shell.hidden = false;
}

async function decide() {
  clearTimeout(typing);
  if (state.value.trim() === "") return;
  const requestNumber = ++latestRequest;
  const form = formNow();
  showCurl();
  if (isPaid) refused.replaceChildren("…");
  try {
    const answered = await api.decide(readOperation(), { ...bodyOf(form), explain: EVIDENCE });
    // A newer request is in progress; its response will be displayed.
    if (requestNumber !== latestRequest) return;
    refused.replaceChildren();
    decision.replaceChildren(...answerParts(decidedText(form), answered.answer).filter((part) => part !== null));
    decision.hidden = false;
    if (isPaid) showPayment(answered);
    void listExperts();
  } catch (error) {
    if (requestNumber === latestRequest) refuse(error);
  }
}

function readOperation() {
  const { value } = operation;
  if (value === "decide" || value === "noul" || value === "score" || value === "assess") return value;
  return "route";
}

/** @param {import("./api.js").Answered} answered */
function showPayment(answered) {
  payment.replaceChildren(...paymentParts({ rail, priceMicro, answered }));
  // The cost goes next to the result, because the evidence may be long.
  document.getElementById("facts")?.after(payment);
  payment.hidden = false;
  sessionStorage.setItem(SLOT, token.value.trim());
  byId("forget", HTMLButtonElement).hidden = false;
}

async function listExperts() {
  if (knowsExperts) return;
  knowsExperts = true;
  try {
    const experts = await api.experts();
    const names = experts.map(({ name, routes }) =>
      el("option", { value: name }, [`${name}, ${routes.length} routes`]),
    );
    decider.options[0]?.after(...names);
  } catch {
    // The list is optional: without it the router chooses the expert, and the next decision loads it again.
    knowsExperts = false;
  }
}

function refuse(/** @type {unknown} */ error) {
  decision.hidden = true;
  payment.hidden = true;
  if (!(error instanceof ApiProblem)) return refused.replaceChildren("The service does not respond. Try again.");
  if (error.status === PAYMENT_REQUIRED) return refused.replaceChildren(...payingSteps(rail, error.body));
  if (error.status === UNAUTHORISED && !isPaid) {
    byId("token-needed", HTMLElement).hidden = false;
    return refused.replaceChildren("This router requires a token.");
  }
  return refused.replaceChildren(error.message);
}

async function copy() {
  const done = await copyText(curl.textContent);
  copied.textContent = done ? "copied" : "your browser blocked copying: select the text instead";
}

/** Paid decisions start only with the button. */
function openPaid() {
  byId("cost", HTMLElement).textContent = `${euro(priceMicro)} each, charged on success`;
  const forget = byId("forget", HTMLButtonElement);
  token.value = sessionStorage.getItem(SLOT) ?? "";
  forget.hidden = token.value === "";
  forget.addEventListener("click", () => {
    sessionStorage.removeItem(SLOT);
    token.value = "";
    forget.hidden = true;
    token.focus();
  });
  void listExperts();
  showCurl();
}

showForm();
if (isPaid) openPaid();
else void decide();
