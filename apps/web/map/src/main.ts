/** The map page: sends the view (filters from the URL) to the API and passes results to list, facets and map. */
import "./trusted-types.ts";
import { ProblemError } from "@triptych/client";
import { forgetKey, keepKey, takeKey } from "/carte/key.js";
import { byId, debounce } from "/docs/dom.js";
import { createApi, type Item } from "./api.ts";
import { createAround } from "./around.ts";
import { BARE, loadBackground } from "./background.ts";
import { createChips } from "./chips.ts";
import { createControls } from "./controls.ts";
import { createTools } from "./export.ts";
import { createFacets } from "./facets.ts";
import { chooseLanguage, createTranslator } from "./i18n.ts";
import { fitTarget, layoutOf, visibleItems } from "./layout.ts";
import { createLazyMap } from "./lazy-map.ts";
import { createList } from "./list.ts";
import "./map-page.css";
import type { Mark } from "./map-input.ts";
import type { FranceMap } from "./map.ts";
import { describeMap } from "./map-note.ts";
import { createNotices } from "./notices.ts";
import { createSearch, type Session } from "./search.ts";
import { METROPOLE } from "./territories.ts";
import { createSuggestBox, suggestedView } from "./suggest-box.ts";
import { apiFilters, readView, toggled, writeView, type ViewState } from "./view-state.ts";

/** Browsers throttle URL changes on every frame of a drag. */
const MOVE_PAUSE_MS = 200;
/** Rows in the list; loaded items are shown before more are requested. */
const ROWS = 50;
const requestedLanguage = new URLSearchParams(location.search).get("lang");
const translator = createTranslator(chooseLanguage(requestedLanguage, navigator.languages));
const { say } = translator;
const key = takeKey();
const background = await loadBackground().catch(() => BARE);
const { anchors } = background;

let view = readView(location.search);
let session: Session | null = null;
/** Items at the clicked location. */
let here: readonly Item[] | null = null;
let chosen: Item | null = null;
let tagLabels = new Map<string, string>();
let visible = ROWS;

const notices = createNotices(byId("notices", HTMLElement), translator);
const search = createSearch({
  session: () => session,
  view: () => view,
  onBusy: (busy) => controls.setBusy(busy),
  onFound({ normal }) {
    notices.clear();
    view = { ...view, ...normal };
    chosen = null;
    visible = ROWS;
    showResults();
  },
  onMore() {
    controls.showResults(search.results(), { here, visible });
    showMap();
  },
  onSettled() {
    if (view.camera !== null || view.near !== null || view.bbox !== null) return;
    const { places, km } = fitTarget({ plan: session?.plan ?? null, results: search.results(), view, anchors });
    map.arrange((live) => live.fit(places, km), places.length === 0 ? METROPOLE.box : null);
  },
  onProblem: notices.problem,
  onRenewed: () => notices.note(say("renewed")),
});
const list = createList(byId("list", HTMLElement), translator, {
  tagLabel: (slug) => tagLabels.get(slug) ?? slug,
  onChoose(item) {
    chosen = item;
    showMap();
    const place = item?.location;
    if (place != null) map.use(({ reveal }) => reveal(place));
  },
  onLeave: () => controls.focusSearch(),
});
const facets = createFacets(byId("facets", HTMLElement), translator, (name, value) =>
  change({ [name]: toggled(view[name], value) }),
);
const showChips = createChips(translator, {
  change,
  facets: () => search.results()?.facets ?? {},
  departementName: (value) => anchors.find(({ slug, code }) => slug === value || code === value)?.nom,
});
const map = createLazyMap(notices, {
  translator,
  background,
  onPopupClose() {
    chosen = null;
    list.choose(null);
    showMap();
  },
  onMark: openMark,
  onMove: debounce(MOVE_PAUSE_MS, () =>
    map.use((live) => {
      view = { ...view, camera: live.camera() };
      if (view.bbox === null) rememberView();
      else follow(live);
    }),
  ),
  onPick(place, roundRadius) {
    around.setPicking(false);
    change({ near: place, radius: view.near === null ? roundRadius : view.radius });
  },
  onPickEnd: () => around.setPicking(false),
});
const around = createAround(translator, {
  change,
  searchNearby(near) {
    if (near !== null) map.arrange((live) => live.fitCircle(near, view.radius), null);
    change({ near, ...(near === null && view.sort === "distance" && { sort: "" }) });
  },
  onPicking: (on) => map.use(({ setPicking }) => setPicking(on)),
  onFocusMap: () => map.focus(),
  note: notices.note,
});
const tools = createTools(translator, {
  state() {
    const results = search.results();
    return session !== null && results !== null && { api: session.api, view, total: results.total };
  },
  onProblem: notices.problem,
});
const controls = createControls(translator, {
  change,
  query: () => view.q,
  onFollow: (on) => (on ? map.use(follow) : change({ bbox: null })),
  onZoom: (levels) => map.use(({ zoom }) => zoom(levels)),
  onHome: () => map.use(({ home }) => home()),
  onKey: (text) => void enter(text, { typed: true }),
  onForget: leave,
  onMore: () => void more(),
  onLoadAll: () => void search.loadAll(),
  onHereClose: () => {
    here = null;
    visible = ROWS;
    showResults();
  },
});

createSuggestBox({
  input: byId("q", HTMLInputElement),
  list: byId("suggestions", HTMLElement),
  translator,
  find: (text, signal) => session?.api.suggest(text, signal) ?? null,
  onChoose(suggestion) {
    change(suggestedView(view, suggestion));
    controls.showQuery(view);
  },
});

applyView();
showView();
controls.showAttribution([], background);
if (key === null) controls.showKeyForm();
else await enter(key, { typed: false });

window.addEventListener("popstate", () => {
  view = readView(location.search);
  controls.showQuery(view);
  applyView();
  void refresh();
});
window.addEventListener("hashchange", () => {
  const arrived = location.hash.includes("key=") ? takeKey() : null;
  if (arrived !== null) void enter(arrived, { typed: false });
});

function applyView() {
  const isOverview = view.camera === null && view.bbox === null && view.near === null;
  map.arrange((live) => live.apply(view), isOverview ? METROPOLE.box : null);
}

/** Fetches the plan of a key and starts; removes a rejected key and shows why. */
async function enter(text: string, { typed }: { readonly typed: boolean }): Promise<void> {
  const api = createApi({
    key: text.trim(),
    onQuota: (left) => controls.showQuota(left),
    onWait: (seconds) => notices.note(say("waiting", { seconds })),
  });
  try {
    const usage = await api.usage();
    keepKey(text);
    session = { api, plan: usage.key.plan };
    controls.showSession(usage.key.plan, usage.day.remaining);
    const meta = await api.meta();
    tagLabels = new Map(meta.tags.map((tag) => [tag.slug, tag.label]));
    controls.showAttribution(meta.attribution, background);
    await refresh();
    if (typed) controls.focusSearch();
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 401)
      return notices.problem(error, () => void enter(text, { typed }));
    leave();
    controls.showKeyForm(say("keyRefused", { detail: error.message }));
  }
  return undefined;
}

function leave() {
  search.clear();
  forgetKey();
  session = null;
  here = null;
  chosen = null;
  notices.clear();
  controls.showKeyForm();
  showResults();
}

/** Changes filters: adds a history entry, except while typing. */
function change(next: Partial<ViewState>, { replace = false } = {}) {
  view = { ...view, ...next };
  here = null;
  rememberView({ push: !replace });
  void refresh();
}

function rememberView({ push = false } = {}) {
  const address = location.pathname + writeView(view, requestedLanguage ?? "");
  if (address === location.pathname + location.search) return;
  history[push ? "pushState" : "replaceState"](null, "", address);
}

function refresh(): Promise<void> {
  showView();
  return search.refresh();
}

/** The list shows what the map shows: by the API on Pro, else among the loaded items. */
function follow({ bounds }: FranceMap): void {
  const { plan } = session ?? {};
  view = { ...view, bbox: bounds() };
  rememberView();
  here = null;
  if (plan === "pro") void refresh();
  else showResults();
}

async function more() {
  if (visible >= listed().length && !(await search.loadPage(() => void more()))) return;
  list.append(listed().slice(visible, visible + ROWS));
  visible += ROWS;
  controls.showResults(search.results(), { here, visible });
}

/** Opens a clicked mark: filters by département, opens one item, or lists several at one location. */
function openMark(mark: Mark): void {
  if ("count" in mark) {
    const { filter, value } = mark.count;
    return change({ [filter]: toggled(view[filter], value) });
  }
  const [item] = mark.items;
  const stands = mark.items.length === 1 && listed().slice(0, visible).includes(item);
  chosen = mark.items.length === 1 ? item : null;
  if (!stands) {
    here = mark.items;
    visible = ROWS;
    showResults();
  }
  list.choose(chosen);
  return showMap();
}

function showResults() {
  list.show(listed().slice(0, visible));
  const results = search.results();
  facets.show(results?.facets ?? {}, view);
  controls.showResults(results, { here, visible });
  showView();
}

function showView() {
  controls.showView(view);
  around.show(view, session?.plan ?? null);
  tools.allow(session?.plan === "pro");
  showChips(view);
  showMap();
}

/** The listed items: those at one location, or all loaded ones in the visible area. */
function listed() {
  return here ?? visibleItems(search.results()?.items ?? [], view, anchors);
}

function showMap() {
  const plan = session?.plan ?? null;
  const results = search.results();
  const { layout, summary } = layoutOf({ plan, results, view, anchors, chosen });
  const { total, items } = results ?? { total: 0, items: [] };
  map.show(layout);
  controls.showMapNote(describeMap(translator, summary), { total, rest: total - items.length });
  tools.showCall(apiFilters(view, { geo: plan !== "discovery" }));
}
