/** The playground: what is asked, whom, and what came back. Decides while you type; the answer to the newest question is shown. */
import { ApiProblem, createApi } from "./api.js";
import { curlCommand } from "./curl.js";
import { byId, el } from "./dom.js";
import { bodyOf } from "./question.js";
import { showAnswer } from "./show-answer.js";

const TYPING_MS = 120;
const EVIDENCE = 32;
const UNAUTHORISED = 401;

const form = byId("question", HTMLFormElement);
const state = byId("state", HTMLTextAreaElement);
const decider = byId("expert", HTMLSelectElement);
const ownOptions = byId("own-options", HTMLElement);
const options = byId("options", HTMLTextAreaElement);
const minConf = byId("min-conf", HTMLInputElement);
const maxError = byId("max-error", HTMLInputElement);
const tokenNeeded = byId("token-needed", HTMLElement);
const token = byId("token", HTMLInputElement);
const refused = byId("refused", HTMLElement);
const decision = byId("decision", HTMLElement);
const curl = byId("curl", HTMLElement);
const copied = byId("copied", HTMLElement);

const api = createApi(() => token.value.trim());
let asked = 0;
let typing = 0;
let knowsExperts = false;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  void decide();
});
form.addEventListener("input", () => {
  ownOptions.hidden = decider.value !== "options";
  clearTimeout(typing);
  typing = setTimeout(() => void decide(), TYPING_MS);
});
for (const example of form.querySelectorAll(".example"))
  example.addEventListener("click", () => {
    state.value = example.textContent ?? "";
    void decide();
  });
byId("copy", HTMLButtonElement).addEventListener("click", () => void copy());

async function decide() {
  clearTimeout(typing);
  if (state.value.trim() === "") return;
  const turn = ++asked;
  const body = bodyOf({
    state: state.value,
    decider: decider.value,
    options: options.value,
    minConf: minConf.value,
    maxError: maxError.value,
  });
  try {
    await listExperts();
    const [decided, assessed] = await Promise.all([api.route({ ...body, explain: EVIDENCE }), api.assess(body)]);
    // A later question has been asked since: its answer is the one to show.
    if (turn !== asked) return;
    refused.textContent = "";
    showAnswer(state.value, decided, assessed);
    curl.textContent = curlCommand(location.origin, body, { needsToken: token.value !== "" });
    copied.textContent = "";
    decision.hidden = false;
  } catch (fault) {
    if (turn === asked) refuse(fault);
  }
}

async function listExperts() {
  if (knowsExperts) return;
  const experts = await api.experts();
  if (knowsExperts) return;
  knowsExperts = true;
  const names = experts.map(({ name, routes }) => el("option", { value: name }, [`${name}, ${routes.length} routes`]));
  decider.options[0]?.after(...names);
}

function refuse(/** @type {unknown} */ fault) {
  decision.hidden = true;
  if (fault instanceof ApiProblem && fault.status === UNAUTHORISED) {
    tokenNeeded.hidden = false;
    refused.textContent = "This router was started with a token: send it along.";
    return;
  }
  refused.textContent = fault instanceof ApiProblem ? fault.message : "The router does not answer.";
}

async function copy() {
  try {
    await navigator.clipboard.writeText(curl.textContent ?? "");
    copied.textContent = "copied";
  } catch {
    copied.textContent = "the browser does not let this page copy: select the text";
  }
}

void decide();
