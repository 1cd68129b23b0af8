/**
 * Light or dark theme: the system's, or the user's choice. Runs before rendering. Pages with their own colors listen
 * for `themechange`, which also fires when the system theme changes.
 */

const NAME = "triptych.theme";
const THEMES = /** @type {const} */ (["auto", "light", "dark"]);
const ENGLISH = ["Theme:", "System", "Light", "Dark"];
const FRENCH = ["Thème :", "Système", "Clair", "Sombre"];
const root = document.documentElement;

apply(remembered());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => apply(root.dataset["theme"] ?? "auto"));
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", addSwitch);
else addSwitch();

/** @param {string} theme */
function apply(theme) {
  root.dataset["theme"] = theme;
  dispatchEvent(new Event("themechange"));
}

function addSwitch() {
  const bar = document.querySelector("header.bar");
  if (bar === null) return;
  const label = document.createElement("label");
  label.className = "theme";
  const name = document.createElement("span");
  const select = document.createElement("select");
  for (const theme of THEMES) select.append(new Option(theme, theme));
  select.value = remembered();
  select.addEventListener("change", () => {
    remember(select.value);
    apply(select.value);
  });
  label.append(name, " ", select);
  bar.append(label);
  const speak = () => {
    const [title = "", ...labels] = root.lang === "fr" ? FRENCH : ENGLISH;
    name.textContent = title;
    for (const [index, text] of labels.entries()) select.options[index]?.replaceChildren(text);
  };
  speak();
  // The language of a page may change after it was served.
  new MutationObserver(speak).observe(root, { attributeFilter: ["lang"] });
}

/** Without access to storage, the choice lasts as long as the page. */
function remembered() {
  try {
    const stored = localStorage.getItem(NAME);
    return THEMES.find((theme) => theme === stored) ?? "auto";
  } catch {
    return "auto";
  }
}

/** @param {string} theme */
function remember(theme) {
  try {
    localStorage.setItem(NAME, theme);
  } catch {
    return;
  }
}
