/**
 * `/docs/try`: Swagger UI on the OpenAPI document of the service. It runs under the policy of every page: descriptions
 * are text, never markup. Credentials stay in memory and are sent as headers to this origin.
 */
import "./reference.css";
import SwaggerUI, { type Plugin } from "swagger-ui-dist/swagger-ui-es-bundle.js";
import { viewedDocument, type OpenApi } from "./document.ts";

const failure = document.querySelector("#failure");

try {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`the service responded with ${response.status}`);
  const spec = viewedDocument((await response.json()) as OpenApi, location.origin);
  document.title = `${spec.info.title}: try requests`;
  document.querySelector(".brand")?.replaceChildren(spec.info.title);
  const viewer = document.querySelector("#viewer");
  if (viewer !== null)
    new MutationObserver(() => completeControls(viewer)).observe(viewer, { childList: true, subtree: true });
  SwaggerUI({
    spec,
    dom_id: "#viewer",
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    persistAuthorization: false,
    queryConfigEnabled: false,
    syntaxHighlight: false,
    validatorUrl: null,
    defaultModelsExpandDepth: -1,
    plugins: [textPlugin],
  });
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  failure?.replaceChildren(`The API description cannot be loaded: ${reason}. Reload the page to try again.`);
}

/** Swagger UI leaves controls without names, and shows credentials while they are typed. */
function completeControls(viewer: Element): void {
  for (const field of viewer.querySelectorAll<HTMLInputElement>(".auth-container input[type=text]")) {
    field.type = "password";
    field.autocomplete = "off";
  }
  for (const control of viewer.querySelectorAll<HTMLInputElement>(
    ":is(select, input, textarea):not([aria-label], [id])",
  )) {
    const parameter = control.closest<HTMLElement>("[data-param-name]")?.dataset["paramName"];
    const isBody = control.closest(".opblock-section-request-body") !== null;
    control.ariaLabel = parameter ?? (isBody ? "Request body" : "Media type");
  }
  viewer.querySelector(".close-modal")?.setAttribute("aria-label", "Close");
  for (const button of viewer.querySelectorAll(".modal-btn.authorize")) button.removeAttribute("aria-label");
  const dialog = viewer.querySelector(".modal-ux");
  dialog?.setAttribute("role", "dialog");
  dialog?.setAttribute("aria-label", "Credentials");
}

/** Closes the dialog of Swagger UI with Escape, because it closes only by its buttons. */
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape") document.querySelector<HTMLButtonElement>(".close-modal")?.click();
});

/** Removes the parts that set markup, display the credential in a command, or choose another server. */
function textPlugin({ React }: Parameters<Plugin>[0]): ReturnType<Plugin> {
  const nothing = () => null;
  const Markdown = ({ source = "" }: { readonly source?: string }) =>
    React.createElement(
      "p",
      { className: "markdown" },
      ...source.split("`").map((part, index) => (index % 2 === 1 ? React.createElement("code", null, part) : part)),
    );
  // A link inside of the button that opens the operation.
  const DeepLink = ({ text = "" }: { readonly text?: string }) => React.createElement("span", null, text);
  return { components: { DeepLink, Markdown, curl: nothing, InfoContainer: nothing, ServersContainer: nothing } };
}
