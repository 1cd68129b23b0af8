/** Completions under the search field: a combobox with a list, by the pattern of the ARIA guide. */
import { debounce, el } from "/docs/dom.js";
import type { Suggestion } from "./api.ts";
import type { Translator } from "./i18n.ts";
import type { ViewState } from "./view-state.ts";

const TYPING_PAUSE_MS = 150;

/** A commune or a theme becomes a filter in place of the typed words. */
export function suggestedView({ tag }: ViewState, { kind, text, slug }: Suggestion): Partial<ViewState> {
  if (kind === "commune") return { q: "", commune: text };
  return kind === "tag" ? { q: "", tag: [...new Set([...tag, slug ?? text])] } : { q: text };
}

interface SuggestBoxOptions {
  readonly input: HTMLInputElement;
  readonly list: HTMLElement;
  translator: Translator;
  /** Null without a key. */
  find(text: string, signal: AbortSignal): Promise<readonly Suggestion[]> | null;
  onChoose(suggestion: Suggestion): void;
}

export function createSuggestBox({ input, list, translator, find, onChoose }: SuggestBoxOptions) {
  const { say, number } = translator;
  let suggestions: readonly Suggestion[] = [];
  let active = -1;
  let running = new AbortController();
  /** The text at the last close: what was searched needs no completions. */
  let settled: string | null = null;

  function show(next: readonly Suggestion[]): void {
    suggestions = next;
    list.replaceChildren(...next.map(renderOption));
    list.hidden = next.length === 0;
    input.setAttribute("aria-expanded", String(next.length > 0));
    activate(-1);
  }

  function renderOption({ kind, text, count }: Suggestion, index: number): HTMLElement {
    const names = { commune: say("commune"), tag: say("tag"), title: "" } as const;
    const facts = [names[kind], count === undefined ? "" : number(count)].filter((part) => part !== "");
    const choose = (event: Event) => {
      // Acts before the field loses its focus, which closes the list.
      event.preventDefault();
      accept(index);
    };
    return el("li", { id: `suggestion-${index}`, role: "option", "aria-selected": "false", onmousedown: choose }, [
      el("span", {}, [text]),
      el("span", { class: "soft" }, [facts.join(" · ")]),
    ]);
  }

  function activate(index: number): void {
    active = index;
    for (const [at, option] of [...list.children].entries()) option.setAttribute("aria-selected", String(at === index));
    list.children[index]?.scrollIntoView({ block: "nearest" });
    if (index < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `suggestion-${index}`);
  }

  function accept(index: number): void {
    const suggestion = suggestions[index];
    close();
    if (suggestion !== undefined) onChoose(suggestion);
  }

  function close(): void {
    settled = input.value;
    running.abort();
    show([]);
  }

  async function ask(): Promise<void> {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    if (input.value === settled) return;
    const text = input.value.trim();
    // Completions are optional; the search itself reports failures.
    const found = text === "" ? [] : await find(text, signal)?.catch(() => []);
    if (!signal.aborted && document.activeElement === input) show(found ?? []);
  }
  const typed = debounce(TYPING_PAUSE_MS, () => void ask());
  input.addEventListener("input", () => typed());
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (suggestions.length === 0) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      const count = suggestions.length + 1;
      activate(((active + 1 + step + count) % count) - 1);
    } else if (event.key === "Enter" && active >= 0) accept(active);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
  });
  return { close };
}
