/**
 * The map page: sends the view (filters from the URL) to the API and passes results to list, facets and map. A new
 * search aborts the previous one, so stale responses never overwrite newer ones.
 */
import { ApiProblem, createApi, VersionChanged } from "./api.js";
import { bareBackground, loadBackground } from "./background.js";
import { byId, debounce } from "/docs/dom.js";
import { forgetKey, keepKey, takeKey } from "./key.js";
import { createControls } from "./controls.js";
import { createFacets } from "./facets.js";
import { createList } from "./list.js";
import { createMap } from "./map.js";
import { createNotices } from "./notices.js";
import { describeMap } from "./map-note.js";
import { chosenAnchors, layoutOf } from "./marker-layout.js";
import { allTheRest, isCheap, isComplete, nextPage, search } from "./results.js";
import { apiFilters, readView, writeView } from "./view-state.js";
import { chooseLanguage, createTranslator } from "./i18n.js";

/** @typedef {import("./view-state.js").ViewState} ViewState */
/** @typedef {import("./results.js").Results} Results */
/** @typedef {import("./api.js").Item} Item */

/** Browsers throttle URL changes on every frame of a drag. */
const MOVE_PAUSE = 200;
const requestedLanguage = new URLSearchParams(location.search).get("lang");
const translator = createTranslator(chooseLanguage(requestedLanguage, navigator.languages));
const key = takeKey();
const background = await loadBackground().catch(() => bareBackground);

let view = readView(location.search);
/** @type {{ api: import("./api.js").Api, plan: "discovery" | "pro" } | null} */
let session = null;
/** @type {Results | null} */
let results = null;
/** Items at the clicked location. @type {readonly Item[] | null} */
let here = null;
/** @type {Item | null} */
let chosen = null;
/** @type {Map<string, string>} */
let tagLabels = new Map();
/** Rows in the list; loaded items are shown before more are requested. */
const ROWS = 50;
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
const map = createMap({
  canvas: byId("map", HTMLCanvasElement),
  insets: byId("insets", HTMLElement),
  tip: byId("tip", HTMLElement),
  background,
  onMark: openMark,
  onMove: debounce(MOVE_PAUSE, () => {
    view = { ...view, camera: map.camera() };
    rememberView();
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
  onZoom: (factor) => map.zoom(factor),
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

applyView();
controls.showView(view);
controls.showAttribution([], background.attribution);
showMap();
if (key === null) controls.showKeyForm();
else await enter(key, { typed: false });

window.addEventListener("popstate", () => {
  view = readView(location.search);
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
  if (view.camera === null && view.near !== null) map.fitCircle(view.near, view.radius);
}

/** Fetches the plan of a key and starts; removes a rejected key and shows why. */
async function enter(/** @type {string} */ text, /** @type {{ typed: boolean }} */ { typed }) {
  const api = createApi({
    key: text.trim(),
    onQuota: (left) => controls.showQuota(left),
    onWait: (seconds) => notices.note(translator.say("waiting", { seconds })),
  });
  try {
    const usage = await api.usage(undefined);
    keepKey(text);
    session = { api, plan: usage.key.plan };
    controls.showSession(usage.key.plan, usage.day.remaining);
    const meta = await api.meta(undefined);
    tagLabels = new Map(meta.tags.map((tag) => [tag.slug, tag.label]));
    controls.showAttribution(meta.attribution, background.attribution);
    await refresh();
    if (typed) controls.focusSearch();
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.status !== 401) return fail(error, () => void enter(text, { typed }));
    leave();
    controls.showKeyForm(translator.say("keyRefused", { detail: error.body.detail }));
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
function change(/** @type {Partial<ViewState>} */ next, { replace = false } = {}) {
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

function searchNearby(/** @type {ViewState["near"]} */ near) {
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
    if (view.camera === null && view.near === null)
      map.fit(chosenAnchors(view, background.anchors).map((anchor) => anchor.place));
    if (plan === "pro" && isCheap(found) && !isComplete(found)) await loadAll();
  } catch (error) {
    if (!signal.aborted) fail(error, () => void refresh());
  } finally {
    if (!signal.aborted) controls.setBusy(false);
  }
  return undefined;
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
  /** @param {Results} part */
  const onPart = (part) => {
    if (signal.aborted) return;
    results = part;
    showMap();
  };
  try {
    onPart(await allTheRest(session.api, view, results, { signal, onPart }));
    controls.showResults(results, { here, visible });
  } catch (error) {
    if (!signal.aborted) await restartListOr(error, () => void loadAll());
  }
}

/** Rows of two versions would repeat and miss items, so after an import the list restarts with a notice. */
async function restartListOr(/** @type {unknown} */ error, /** @type {() => void} */ retry) {
  if (!(error instanceof VersionChanged)) return fail(error, retry);
  session?.api.invalidatePages();
  await refresh();
  return notices.note(translator.say("renewed"));
}

/** @returns {readonly string[]} */
function toggled(/** @type {readonly string[]} */ values, /** @type {string} */ value) {
  return values.includes(value) ? values.filter((entry) => entry !== value) : [...values, value];
}

function fail(/** @type {unknown} */ error, /** @type {() => void} */ retry) {
  notices.problem(error, translator, retry);
}

/** Opens a clicked mark: filters by département, opens one item, or lists several at one location. */
function openMark(/** @type {import("./renderer.js").Mark} */ mark) {
  if (mark.count !== null) {
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

/** The listed items: those at one location, or all loaded ones. */
function listed() {
  return here ?? results?.items ?? [];
}

function showMap() {
  const plan = session?.plan ?? null;
  const { layout, summary } = layoutOf({ plan, results, view, anchors: background.anchors, chosen });
  map.show(layout);
  controls.showMapNote(describeMap(translator, summary), results === null ? 0 : results.total - results.items.length);
  controls.showCall(apiFilters(view, { geo: plan !== "discovery" }));
}
