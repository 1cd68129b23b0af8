import { ProblemError } from "@triptych/client";
import { el } from "/docs/dom.js";
import type { Translator } from "./i18n.ts";

export type Notices = ReturnType<typeof createNotices>;

/** Shows notices in a polite live region. */
export function createNotices(container: HTMLElement, { say }: Translator) {
  return {
    clear: () => container.replaceChildren(),

    note: (text: string) => container.replaceChildren(el("p", { class: "notice" }, [text])),

    /** Shows the service's problem text, with a retry button and the request ID. */
    problem: (error: unknown, retry: () => void) => {
      const isProblem = error instanceof ProblemError;
      const errors = isProblem ? error.errors : [];
      container.replaceChildren(
        el("div", { class: "notice failure" }, [
          el("p", {}, [
            el("strong", {}, [isProblem ? (error.body.title ?? `HTTP ${error.status}`) : say("unreachable")]),
          ]),
          isProblem ? el("p", {}, prose(error.message)) : null,
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

/** Renders code between backticks. */
function prose(text: string): (string | HTMLElement)[] {
  return text.split("`").map((part, index) => (index % 2 === 1 ? el("code", {}, [part]) : part));
}
