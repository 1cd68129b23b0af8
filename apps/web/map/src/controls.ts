/** The form of the key, the search field, and the texts around list and map. */
import { byId, debounce } from "/docs/dom.js";
import type { Background } from "./background.ts";
import { chip } from "./chips.ts";
import type { Translator } from "./i18n.ts";
import type { Plan } from "./layout.ts";
import type { Results } from "./results.ts";
import { translate } from "./translate.ts";
import type { ViewState } from "./view-state.ts";

interface ControlActions {
  change(next: Partial<ViewState>, options?: { readonly replace?: boolean }): void;
  onFollow(on: boolean): void;
  onZoom(levels: number): void;
  onHome(): void;
  onKey(key: string): void;
  onForget(): void;
  onMore(): void;
  onLoadAll(): void;
  onHereClose(): void;
  query(): string;
}

const TYPING_PAUSE_MS = 250;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/;

export function createControls(translator: Translator, actions: ControlActions) {
  const { say } = translator;
  const q = byId("q", HTMLInputElement);
  const sort = byId("sort", HTMLSelectElement);
  const follow = byId("follow", HTMLInputElement);

  translate(translator);
  listen(actions, { q, sort, follow });

  function focusSearch() {
    q.focus();
    q.select();
  }
  document.addEventListener("keydown", (event) => {
    const inField = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key !== "/" || inField || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    focusSearch();
  });

  function showQuota(left: number | null) {
    byId("quota", HTMLElement).textContent = left === null ? say("unlimited") : say("left", { count: left });
  }

  /** Shows the plan, or without one the form of the key. */
  function showPlan(plan: Plan | null) {
    document.body.dataset["session"] = plan ?? "none";
    byId("key-panel", HTMLElement).hidden = plan !== null;
    byId("session", HTMLElement).hidden = plan === null;
    byId("plan", HTMLElement).textContent = say(plan === "pro" ? "planPro" : "planDiscovery");
    for (const hint of document.querySelectorAll<HTMLElement>(".needs-pro")) hint.hidden = plan === "pro";
  }

  return {
    focusSearch,
    showQuota,
    /** Writes the field even while the visitor is in it. */
    showQuery(view: ViewState) {
      q.value = view.q;
    },
    setBusy(busy: boolean) {
      byId("results", HTMLElement).setAttribute("aria-busy", String(busy));
    },

    showKeyForm(refusal = "") {
      showPlan(null);
      byId("key-refused", HTMLElement).textContent = refusal;
      if (refusal !== "") byId("key", HTMLInputElement).focus();
    },
    showSession(plan: Plan, left: number | null) {
      showPlan(plan);
      byId("key-refused", HTMLElement).textContent = "";
      showQuota(left);
    },
    showAttribution(data: readonly string[], { attribution: outlines, tiles }: Background) {
      const parts = [
        data.length > 0 && say("attribution", { names: data.join(", ") }),
        outlines !== null && say("outlinesBy", { names: outlines }),
        tiles?.attribution,
      ];
      byId("attribution", HTMLElement).textContent = parts.filter((part) => typeof part === "string").join(" · ");
    },

    showView(view: ViewState) {
      // Results that arrive while the visitor types must not erase the text.
      if (document.activeElement !== q) q.value = view.q;
      sort.value = view.sort;
      for (const option of sort.options) {
        option.disabled =
          (option.value === "relevance" && view.q.trim() === "") || (option.value === "distance" && view.near === null);
      }
      follow.checked = view.bbox !== null;
    },

    showResults(
      results: Results | null,
      { here, visible }: { readonly here: readonly unknown[] | null; readonly visible: number },
    ) {
      const listed = here?.length ?? results?.total ?? 0;
      const totals = ["totalNone", "totalOne"] as const;
      byId("tools", HTMLElement).hidden = results === null;
      byId("total", HTMLElement).textContent =
        results === null ? say("results") : say(totals[results.total] ?? "total", { count: results.total });
      byId("said", HTMLElement).textContent = results === null ? "" : remarksOn(results, translator);
      const more = byId("more", HTMLButtonElement);
      more.hidden = results === null || visible >= listed;
      more.textContent = say("more", { count: Math.max(0, listed - visible) });
      byId("export-note", HTMLElement).textContent = say("exportNote", { count: results?.total ?? 0 });
      const hereBox = byId("here", HTMLElement);
      hereBox.hidden = here === null;
      hereBox.replaceChildren(
        ...(here === null ? [] : [chip(translator, say("hereTitle", { count: here.length }), actions.onHereClose)]),
      );
    },

    /** @param points all of them, and those that are not loaded yet. */
    showMapNote(
      { text, offerAll }: { readonly text: string; readonly offerAll: boolean },
      points: { readonly total: number; readonly rest: number },
    ) {
      byId("map-note", HTMLElement).textContent = text;
      byId("map-note-box", HTMLElement).hidden = text === "";
      const button = byId("load-all", HTMLButtonElement);
      button.hidden = !offerAll;
      button.textContent = `${say("loadPoints", { count: points.total })} (${say("loadPointsCost", { count: points.rest })})`;
    },
  };
}

function listen(
  actions: ControlActions,
  {
    q,
    sort,
    follow,
  }: { readonly q: HTMLInputElement; readonly sort: HTMLSelectElement; readonly follow: HTMLInputElement },
): void {
  const onClick = (id: string, act: () => void) => byId(id, HTMLButtonElement).addEventListener("click", act);
  onClick("forget", actions.onForget);
  onClick("more", actions.onMore);
  onClick("load-all", actions.onLoadAll);
  onClick("zoom-in", () => actions.onZoom(1));
  onClick("zoom-out", () => actions.onZoom(-1));
  onClick("zoom-home", actions.onHome);
  q.addEventListener(
    "input",
    debounce(TYPING_PAUSE_MS, () => actions.change({ q: q.value }, { replace: true })),
  );
  byId("search", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    if (q.value !== actions.query()) actions.change({ q: q.value });
  });
  sort.addEventListener("change", () => actions.change({ sort: sort.value }));
  follow.addEventListener("change", () => actions.onFollow(follow.checked));

  const key = byId("key", HTMLInputElement);
  byId("key-local", HTMLElement).hidden = !LOOPBACK.test(location.hostname);
  byId("key-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    if (key.value.trim() !== "") actions.onKey(key.value);
    key.value = "";
  });

  const filters = byId("filters", HTMLDetailsElement);
  const wide = matchMedia("(min-width: 1180px)");
  const unfold = () => (filters.open = wide.matches);
  wide.addEventListener("change", unfold);
  unfold();
}

/** Says how the service changed the words of the search. */
function remarksOn({ total, corrected, relaxed, unknownTags }: Results, { say }: Translator): string {
  const dropped = relaxed.dropped ?? [];
  const remarks = [
    ...Object.entries({ ...corrected, ...relaxed.corrected }).map(([from, to]) => say("corrected", { from, to })),
    dropped.length > 0 ? say("relaxed", { words: dropped.join(", ") }) : "",
    unknownTags.length > 0 ? say("unknownTags", { tags: unknownTags.join(", ") }) : "",
    total === 0 ? say("noneHint") : "",
  ];
  return remarks.filter(Boolean).join(" ");
}
