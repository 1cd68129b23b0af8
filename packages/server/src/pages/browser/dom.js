/** Creates elements from data. Text is only ever set as text, so API responses cannot become markup. */

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * `on…` attributes are listeners; `false`, `null` and `undefined` are omitted; `true` is an empty attribute.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>} [attributes]
 * @param {readonly Child[]} [children]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(name, attributes = {}, children = []) {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(attribute.slice(2), value);
    else if (value === true) element.setAttribute(attribute, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(attribute, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * Returns an element of the served page; throws if it is missing.
 * @template {HTMLElement} E
 * @param {string} id
 * @param {new () => E} kind
 * @returns {E}
 */
export function byId(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${kind.name} with the ID ${id}`);
  return found;
}

/** An external link labeled with its host; null unless the address is http(s). */
export function outLink(/** @type {string} */ address, /** @type {string | null} */ title = null) {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return null;
  const text = title === null ? url.host : `${title} (${url.host})`;
  return el("a", { href: url.href, rel: "noopener noreferrer", target: "_blank" }, [text]);
}

/**
 * Calls `act` once no call has occurred for `wait` milliseconds.
 * @template {unknown[]} A
 * @param {number} wait
 * @param {(...args: A) => void} act
 */
export function debounce(wait, act) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return (/** @type {A} */ ...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...args), wait);
  };
}

/** @returns {Promise<boolean>} false if the browser denies clipboard access */
export async function copyText(/** @type {string} */ text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} text @param {(string | number)[]} values */
export function fillText(text, ...values) {
  let next = 0;
  return text.replaceAll("{}", () => String(values[next++] ?? ""));
}
