/** Pages are strings with escaped values; the policy allows nothing that does not come from the service itself. */
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** Tagged template: every value is escaped, except lists and values that `html` itself made. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const text = parts.reduce((before, part, index) => before + render(values[index - 1]) + part);
  return { html: text };
}

export interface Html {
  readonly html: string;
}

function render(value: string | number | Html | readonly Html[]): string {
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  return "html" in value ? value.html : value.map((one) => one.html).join("");
}

export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** Of every page beside its content policy. Only on pages: other origins may read the answers of an API with CORS. */
export const PAGE_HEADERS = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
};
