import { ApiProblem } from "./api.js";
import { el } from "/docs/dom.js";

/** @typedef {import("./i18n.js").Translator} Translator */

/** @param {HTMLElement} container a polite live region */
export function createNotices(container) {
  return {
    clear: () => container.replaceChildren(),

    note(/** @type {string} */ text) {
      container.replaceChildren(el("p", { class: "notice" }, [text]));
    },

    /** Shows the service's problem text, with a retry button and the request ID. */
    problem(/** @type {unknown} */ error, /** @type {Translator} */ { say }, /** @type {() => void} */ retry) {
      const isProblem = error instanceof ApiProblem;
      const errors = isProblem ? (error.body.errors ?? []) : [];
      container.replaceChildren(
        el("div", { class: "notice failure" }, [
          el("p", {}, [el("strong", {}, [isProblem ? error.body.title : say("unreachable")])]),
          isProblem ? el("p", {}, prose(error.body.detail)) : null,
          errors.length === 0
            ? null
            : el(
                "ul",
                {},
                errors.map((error) => el("li", {}, [el("code", {}, [error.path]), " ", ...prose(error.message)])),
              ),
          isProblem && error.body.request_id !== undefined
            ? el("p", { class: "mono soft" }, [say("requestId", { id: error.body.request_id })])
            : null,
          el("button", { type: "button", onclick: retry }, [say("retry")]),
        ]),
      );
    },
  };
}

/** Renders code between backticks. @returns {(string | HTMLElement)[]} */
function prose(/** @type {string} */ text) {
  return text.split("`").map((part, index) => (index % 2 === 1 ? el("code", {}, [part]) : part));
}
