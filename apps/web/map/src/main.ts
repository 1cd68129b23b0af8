/**
 * The map page: sends the view (filters from the URL) to the API and passes results to list, facets and map. A new
 * search aborts the previous one, so stale responses never overwrite newer ones.
 */
import "./trusted-types.ts";
import { ProblemError } from "@triptych/client";
import { forgetKey, keepKey, takeKey } from "/carte/key.js";
import { byId, debounce } from "/docs/dom.js";
import { createApi, VersionChanged, type Item } from "./api.ts";
import { BARE, loadBackground } from "./background.ts";
import { createControls, type Session } from "./controls.ts";
import { createFacets } from "./facets.ts";
import { chooseLanguage, createTranslator } from "./i18n.ts";
import { chosenAnchors, layoutOf, visibleItems } from "./layout.ts";
import { createList } from "./list.ts";
import "./map-page.css";
import { describeMap } from "./map-note.ts";
import { createMapOr } from "./map-or-sentence.ts";
import { VICINITY_KM, type Mark } from "./map.ts";
import { createNotices } from "./notices.ts";
import { renderPopup } from "./popup.ts";
import { allTheRest, isCheap, isComplete, nextPage, search, type Results } from "./results.ts";
import { createSuggestBox } from "./suggest-box.ts";
import { apiFilters, readView, writeView, type ViewState } from "./view-state.ts";

/** Browsers throttle URL changes on every frame of a drag. */
const MOVE_PAUSE = 200;
const requestedLanguage = new URLSearchParams(location.search).get("lang");
const translator = createTranslator(chooseLanguage(requestedLanguage, navigator.languages));
const key = takeKey();
const background = await loadBackground().catch(() => BARE);

let view = readView(location.search);
let session: Session | null = null;
let results: Results | null = null;
/** Items at the clicked location. */
let here: readonly Item[] | null = null;
let chosen: Item | null = null;
let tagLabels = new Map<string, string>();
/** Rows in the list; loaded items are shown before more are requested. */
const ROWS = 50;
/** Around the points of a search. */
const POINT_KM = 5;
let visible = ROWS;
let running = new AbortController();

const notices = createNotices(byId("notices", HTMLElement));
const list = createList(byId("list", HTMLElement), {
  translator: () => translator,
  tagLabel: (slug) => tagLabels.get(slug) ?? slug,
  onChoose(item) {
    chosen = item;
    showMap();
    if (item?.location != null) map.reveal(item.location);
  },
  onLeave: () => controls.focusSearch(),
});
const facets = createFacets(byId("facets", HTMLElement), {
  translator: () => translator,
  onToggle: (name, value) => change({ [name]: toggled(view[name], value) }),
});
const map = createMapOr(translator, {
  container: byId("map", HTMLElement),
  insets: byId("insets", HTMLElement),
  tip: byId("tip", HTMLElement),
  background,
  label: translator.say("mapHelp"),
  renderPopup: (item, onClose) => renderPopup(item, translator, onClose),
  onPopupClose() {
    chosen = null;
    list.choose(null);
    showMap();
  },
  onMark: openMark,
  onMove: debounce(MOVE_PAUSE, () => {
    view = { ...view, camera: map.camera() };
    if (view.bbox === null) return rememberView();
    return follow();
  }),
  onPick: (place) => {
    controls.setPicking(false);
    change({ near: place, radius: view.near === null ? map.roundRadius() : view.radius });
  },
  onPickEnd: () => controls.setPicking(false),
});
const controls = createControls(translator, {
  change,
  departementName: (value) => background.anchors.find(({ slug, code }) => slug === value || code === value)?.nom,
  searchNearby,
  onPicking: (on) => map.setPicking(on),
  onFollow: (on) => (on ? follow() : change({ bbox: null })),
  onZoom: (levels) => map.zoom(levels),
  onHome: () => map.home(),
  onFocusMap: () => map.focus(),
  onKey: (text) => void enter(text, { typed: true }),
  onForget: leave,
  onMore: () => void more(),
  onLoadAll: () => void loadAll(),
  onHereClose: () => {
    here = null;
    visible = ROWS;
    showResults();
  },
  session: () => session,
  view: () => view,
  results: () => results,
  notices,
});

createSuggestBox({
  input: byId("q", HTMLInputElement),
  list: byId("suggestions", HTMLElement),
  translator,
  find: (text, signal) => session?.api.suggest(text, signal) ?? null,
  onChoose({ kind, text, slug }) {
    if (kind === "commune") change({ q: "", commune: text });
    else if (kind === "tag") change({ q: "", tag: [...new Set([...view.tag, slug ?? text])] });
    else change({ q: text });
    controls.showQuery(view);
  },
});

applyView();
controls.showView(view);
controls.showAttribution([], background);
showMap();
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

/** The view from the URL, else the circle, else everything. */
function applyView() {
  map.setCamera(view.camera);
  if (view.camera === null && view.bbox !== null) map.fitBox(view.bbox);
  if (view.camera === null && view.near !== null) map.fitCircle(view.near, view.radius);
}

/** Fetches the plan of a key and starts; removes a rejected key and shows why. */
async function enter(text: string, { typed }: { readonly typed: boolean }): Promise<void> {
  const api = createApi({
    key: text.trim(),
    onQuota: (left) => controls.showQuota(left),
    onWait: (seconds) => notices.note(translator.say("waiting", { seconds })),
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
    if (!(error instanceof ProblemError) || error.status !== 401) return fail(error, () => void enter(text, { typed }));
    leave();
    controls.showKeyForm(translator.say("keyRefused", { detail: error.message }));
  }
  return undefined;
}

function leave() {
  running.abort();
  forgetKey();
  session = null;
  results = null;
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

function searchNearby(near: ViewState["near"]) {
  if (near !== null) map.fitCircle(near, view.radius);
  change({ near, ...(near === null && view.sort === "distance" && { sort: "" }) });
}

async function refresh() {
  controls.showView(view);
  showMap();
  if (session === null) return undefined;
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const { api, plan } = session;
  controls.setBusy(true);
  try {
    const found = await search(api, view, { geo: plan === "pro", signal });
    if (signal.aborted) return undefined;
    notices.clear();
    view = { ...view, ...found.normal };
    results = found;
    chosen = null;
    visible = ROWS;
    showResults();
    if (plan === "pro" && isCheap(found) && !isComplete(found)) await loadAll();
    if (view.camera === null && view.near === null && view.bbox === null) fitResults();
  } catch (error) {
    if (!signal.aborted) fail(error, () => void refresh());
  } finally {
    if (!signal.aborted) controls.setBusy(false);
  }
  return undefined;
}

/** Filtered départements as a whole, else the points of a search, else everything. */
function fitResults(): void {
  const anchors = chosenAnchors(view, background.anchors).map((anchor) => anchor.place);
  const isSearch = view.q.trim() !== "" || view.commune !== "" || view.tag.length > 0;
  const points = session?.plan === "pro" && isSearch && results !== null && isComplete(results) ? results.items : [];
  const places = points.flatMap(({ location }) => location ?? []);
  map.fit(anchors.length > 0 ? anchors : places, anchors.length > 0 ? VICINITY_KM : POINT_KM);
}

/** The list shows what the map shows: by the API on Pro, else among the loaded items. */
function follow(): void {
  const { plan } = session ?? {};
  view = { ...view, bbox: map.bounds() };
  rememberView();
  here = null;
  if (plan === "pro") void refresh();
  else showResults();
}

async function more() {
  if (session === null || results === null) return;
  const { signal } = running;
  try {
    if (visible >= listed().length)
      results = await nextPage(session.api, view, results, { geo: session.plan === "pro", signal });
    list.append(listed().slice(visible, visible + ROWS));
    visible += ROWS;
    controls.showResults(results, { here, visible });
    showMap();
  } catch (error) {
    if (!signal.aborted) await restartListOr(error, () => void more());
  }
}

async function loadAll() {
  if (session === null || results === null) return;
  const { signal } = running;
  const onPart = (part: Results) => {
    if (signal.aborted) return;
    results = part;
    showMap();
  };
  try {
    onPart(await allTheRest(session.api, view, { results, signal, onPart }));
    controls.showResults(results, { here, visible });
  } catch (error) {
    if (!signal.aborted) await restartListOr(error, () => void loadAll());
  }
}

/** Rows of two versions would repeat and miss items, so after an import the list restarts with a notice. */
async function restartListOr(error: unknown, retry: () => void) {
  if (!(error instanceof VersionChanged)) return fail(error, retry);
  session?.api.invalidatePages();
  await refresh();
  return notices.note(translator.say("renewed"));
}

function toggled(values: readonly string[], value: string): readonly string[] {
  return values.includes(value) ? values.filter((entry) => entry !== value) : [...values, value];
}

function fail(error: unknown, retry: () => void) {
  notices.problem(error, translator, retry);
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
  facets.show(results?.facets ?? {}, view);
  controls.showView(view);
  controls.showResults(results, { here, visible });
  showMap();
}

/** The listed items: those at one location, or all loaded ones in the visible area. */
function listed() {
  return here ?? visibleItems(results?.items ?? [], view, background.anchors);
}

function showMap() {
  const plan = session?.plan ?? null;
  const { layout, summary } = layoutOf({ plan, results, view, anchors: background.anchors, chosen });
  map.show(layout);
  controls.showMapNote(describeMap(translator, summary), results === null ? 0 : results.total - results.items.length);
  controls.showCall(apiFilters(view, { geo: plan !== "discovery" }));
}
