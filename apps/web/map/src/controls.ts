import { byId, copyText, debounce, el } from "/docs/dom.js";
import type { Api } from "./api.ts";
import type { Background } from "./background.ts";
import { EXPORT_FORMATS, saveExport, type ExportFormat } from "./export.ts";
import type { Translator } from "./i18n.ts";
import type { Plan } from "./layout.ts";
import type { createNotices } from "./notices.ts";
import type { Results } from "./results.ts";
import { translate } from "./translate.ts";
import { apiFilters, formatFilters, type ViewState } from "./view-state.ts";

export interface Session {
  readonly api: Api;
  readonly plan: Plan;
}

interface ControlActions {
  change(next: Partial<ViewState>, options?: { readonly replace?: boolean }): void;
  searchNearby(near: ViewState["near"]): void;
  onFollow(on: boolean): void;
  onPicking(on: boolean): void;
  onZoom(levels: number): void;
  onHome(): void;
  onFocusMap(): void;
  onKey(key: string): void;
  onForget(): void;
  onMore(): void;
  onLoadAll(): void;
  onHereClose(): void;
  session(): Session | null;
  view(): ViewState;
  /** By slug or INSEE code. */
  departementName(value: string): string | undefined;
  results(): Results | null;
  readonly notices: ReturnType<typeof createNotices>;
}

const TYPING_PAUSE = 250;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/;

export function createControls(translator: Translator, actions: ControlActions) {
  const { say } = translator;
  const q = byId("q", HTMLInputElement);
  const sort = byId("sort", HTMLSelectElement);
  const radius = byId("radius", HTMLInputElement);
  const pickButton = byId("around-point", HTMLButtonElement);
  const meButton = byId("around-me", HTMLButtonElement);
  const keyInput = byId("key", HTMLInputElement);
  let picking = false;

  translate(translator);
  byId("key-local", HTMLElement).hidden = !LOOPBACK.test(location.hostname);

  const typed = debounce(TYPING_PAUSE, () => actions.change({ q: q.value }, { replace: true }));
  q.addEventListener("input", typed);
  byId("search", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    if (q.value !== actions.view().q) actions.change({ q: q.value });
  });
  sort.addEventListener("change", () => actions.change({ sort: sort.value }));
  byId("key-form", HTMLFormElement).addEventListener("submit", (event) => {
    event.preventDefault();
    if (keyInput.value.trim() !== "") actions.onKey(keyInput.value);
    keyInput.value = "";
  });
  byId("forget", HTMLButtonElement).addEventListener("click", actions.onForget);
  byId("more", HTMLButtonElement).addEventListener("click", actions.onMore);
  byId("load-all", HTMLButtonElement).addEventListener("click", actions.onLoadAll);
  byId("zoom-in", HTMLButtonElement).addEventListener("click", () => actions.onZoom(1));
  byId("zoom-out", HTMLButtonElement).addEventListener("click", () => actions.onZoom(-1));
  byId("zoom-home", HTMLButtonElement).addEventListener("click", actions.onHome);
  byId("around-clear", HTMLButtonElement).addEventListener("click", () => actions.searchNearby(null));
  pickButton.addEventListener("click", () => {
    setPicking(!picking);
    if (picking) actions.onFocusMap();
  });
  meButton.addEventListener("click", () => locate());
  const follow = byId("follow", HTMLInputElement);
  follow.addEventListener("change", () => actions.onFollow(follow.checked));
  const widen = debounce(TYPING_PAUSE, () => actions.change({ radius: radiusKm() }, { replace: true }));
  radius.addEventListener("input", () => {
    showRadius(radiusKm());
    widen();
  });
  byId("copy-url", HTMLButtonElement).addEventListener("click", () => void copyCall(callUrl()));
  byId("copy-curl", HTMLButtonElement).addEventListener("click", () => void copyCall(callCurl()));
  for (const format of EXPORT_FORMATS) {
    byId(`export-${format}`, HTMLButtonElement).addEventListener("click", () => void exportAs(format));
  }
  document.addEventListener("keydown", (event) => {
    const inField = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key !== "/" || inField || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    focusSearch();
  });
  const filters = byId("filters", HTMLDetailsElement);
  const wide = matchMedia("(min-width: 1180px)");
  const unfold = () => (filters.open = wide.matches);
  wide.addEventListener("change", unfold);
  unfold();

  let call = "/api/items";
  function callUrl() {
    return new URL(call, location.origin).href;
  }
  function callCurl() {
    return `curl -H "Authorization: Bearer $DIRECTORY_KEY" "${callUrl()}"`;
  }

  async function copyCall(text: string) {
    byId("call-said", HTMLElement).textContent = say((await copyText(text)) ? "copied" : "copyFailed");
  }

  /** Non-linear slider from 1 to 200 km, with fine steps near 1. */
  function radiusKm() {
    const km = 200 ** (Number(radius.value) / 100);
    return km < 10 ? Math.round(km * 2) / 2 : Math.round(km);
  }
  function showRadius(km: number) {
    const text = say("km", { km: translator.number(km, 1) });
    byId("radius-said", HTMLElement).textContent = text;
    radius.setAttribute("aria-valuetext", text);
  }

  function setPicking(on: boolean) {
    picking = on;
    pickButton.setAttribute("aria-pressed", String(on));
    byId("pick-help", HTMLElement).hidden = !on;
    actions.onPicking(on);
  }

  function locate() {
    if (!("geolocation" in navigator)) return actions.notices.note(say("noGeo"));
    return navigator.geolocation.getCurrentPosition(
      ({ coords }) => actions.searchNearby({ lat: coords.latitude, lon: coords.longitude }),
      () => actions.notices.note(say("geoDenied")),
      { maximumAge: 60_000, timeout: 10_000 },
    );
  }

  async function exportAs(format: ExportFormat) {
    const session = actions.session();
    const results = actions.results();
    if (session === null || results === null) return;
    const statusLine = byId("export-said", HTMLElement);
    statusLine.textContent = say("exportBusy", { count: results.total });
    try {
      const count = await saveExport(session.api, apiFilters(actions.view()), {
        format,
        signal: AbortSignal.timeout(600_000),
      });
      statusLine.textContent = say(count < results.total ? "exportShort" : "exportDone", {
        count,
        total: results.total,
      });
    } catch (error) {
      statusLine.textContent = say("exportFailed");
      actions.notices.problem(error, translator, () => void exportAs(format));
    }
  }

  function focusSearch() {
    q.focus();
    q.select();
  }

  function allowPro(allowed: boolean) {
    const gated = [pickButton, meButton, ...document.querySelectorAll("#export button")];
    for (const button of gated) if (button instanceof HTMLButtonElement) button.disabled = !allowed;
    for (const hint of document.querySelectorAll(".needs-pro")) if (hint instanceof HTMLElement) hint.hidden = allowed;
  }

  return {
    focusSearch,
    setPicking,
    /** Also while the visitor is in the field. */
    showQuery(view: ViewState) {
      q.value = view.q;
    },
    setBusy(busy: boolean) {
      byId("results", HTMLElement).setAttribute("aria-busy", String(busy));
    },

    showKeyForm(refusal = "") {
      document.body.dataset["session"] = "none";
      byId("key-panel", HTMLElement).hidden = false;
      byId("session", HTMLElement).hidden = true;
      byId("key-refused", HTMLElement).textContent = refusal;
      allowPro(false);
      if (refusal !== "") keyInput.focus();
    },
    showSession(plan: Plan, left: number | null) {
      document.body.dataset["session"] = plan;
      byId("key-panel", HTMLElement).hidden = true;
      byId("session", HTMLElement).hidden = false;
      byId("plan", HTMLElement).textContent = say(plan === "pro" ? "planPro" : "planDiscovery");
      byId("key-refused", HTMLElement).textContent = "";
      allowPro(plan === "pro");
      this.showQuota(left);
    },
    showQuota(left: number | null) {
      byId("quota", HTMLElement).textContent = left === null ? say("unlimited") : say("left", { count: left });
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
      byId("circle", HTMLElement).hidden = view.near === null || actions.session()?.plan === "discovery";
      follow.checked = view.bbox !== null;
      if (document.activeElement !== radius) radius.value = String((100 * Math.log(view.radius)) / Math.log(200));
      showRadius(view.radius);
      const at = view.near;
      byId("circle-at", HTMLElement).textContent =
        at === null ? "" : say("aroundAt", { lat: at.lat.toFixed(3), lon: at.lon.toFixed(3) });
      showChips(view);
    },

    showResults(
      results: Results | null,
      { here, visible }: { readonly here: readonly unknown[] | null; readonly visible: number },
    ) {
      const total = byId("total", HTMLElement);
      const statusLine = byId("said", HTMLElement);
      const rest = Math.max(0, (here?.length ?? results?.total ?? 0) - visible);
      byId("tools", HTMLElement).hidden = results === null;
      const totals = ["totalNone", "totalOne"] as const;
      total.textContent =
        results === null ? say("results") : say(totals[results.total] ?? "total", { count: results.total });
      const corrections = Object.entries({ ...results?.corrected, ...results?.relaxed.corrected }).map(([from, to]) =>
        say("corrected", { from, to }),
      );
      const dropped = results?.relaxed.dropped ?? [];
      const unknown = results?.unknownTags ?? [];
      const notes = [
        ...corrections,
        dropped.length > 0 ? say("relaxed", { words: dropped.join(", ") }) : "",
        unknown.length > 0 ? say("unknownTags", { tags: unknown.join(", ") }) : "",
        results?.total === 0 ? say("noneHint") : "",
      ];
      statusLine.textContent = notes.filter(Boolean).join(" ");
      const more = byId("more", HTMLButtonElement);
      more.hidden = results === null || visible >= (here?.length ?? results.total);
      more.textContent = say("more", { count: rest });
      byId("export-note", HTMLElement).textContent = say("exportNote", { count: results?.total ?? 0 });
      const hereBox = byId("here", HTMLElement);
      hereBox.hidden = here === null;
      hereBox.replaceChildren(
        ...(here === null ? [] : [chip(say("hereTitle", { count: here.length }), actions.onHereClose)]),
      );
    },

    showMapNote({ text, offerAll }: { text: string; offerAll: boolean }, rest: number) {
      byId("map-note", HTMLElement).textContent = text;
      const button = byId("load-all", HTMLButtonElement);
      button.hidden = !offerAll;
      button.textContent = `${say("loadPoints", { count: actions.results()?.total ?? 0 })} (${say("loadPointsCost", { count: rest })})`;
      byId("map-note-box", HTMLElement).hidden = text === "";
    },

    showCall(params: URLSearchParams) {
      call = `/api/items${formatFilters(params)}`;
      byId("call", HTMLElement).textContent = `GET ${call}`;
      byId("call-said", HTMLElement).textContent = "";
    },
  };

  function showChips(view: ViewState) {
    const chips = (["type", "region", "departements", "tag"] as const).flatMap((name) =>
      view[name].map((value) =>
        chip(labelOf(name, value), () => actions.change({ [name]: view[name].filter((other) => other !== value) })),
      ),
    );
    if (view.bbox !== null) chips.push(chip(say("inView"), () => actions.change({ bbox: null })));
    if (view.commune !== "") chips.push(chip(view.commune, () => actions.change({ commune: "" })));
    const clear = el(
      "button",
      {
        type: "button",
        class: "plain",
        onclick: () =>
          actions.change({
            q: "",
            type: [],
            region: [],
            departements: [],
            commune: "",
            tag: [],
            near: null,
            bbox: null,
            sort: "",
          }),
      },
      [say("clear")],
    );
    byId("chips", HTMLElement).replaceChildren(...(chips.length > 0 ? [...chips, clear] : []));
  }

  function chip(text: string, onRemove: () => void) {
    return el(
      "button",
      { type: "button", class: "chip", "aria-label": say("remove", { name: text }), onclick: onRemove },
      [text, el("span", { "aria-hidden": "true" }, ["×"])],
    );
  }

  function labelOf(name: string, value: string) {
    const facet = name === "departements" ? "departement" : name;
    if (name === "type" && (value === "actor" || value === "place" || value === "article")) return say(value);
    const labels = actions.results()?.facets[facet] ?? [];
    // A value without matches has no facet with its label.
    const departementName = (part: string) => (name === "departements" && actions.departementName(part)) || part;
    const parts = value
      .split(",")
      .map((part) => labels.find((entry) => entry.value === part.trim())?.label ?? departementName(part.trim()));
    return parts.join(" / ");
  }
}
