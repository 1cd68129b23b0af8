/** The circle around a point or the visitor, and its radius. */
import { byId, debounce } from "/docs/dom.js";
import type { Translator } from "./i18n.ts";
import type { Plan } from "./layout.ts";
import type { ViewState } from "./view-state.ts";

interface AroundActions {
  change(next: Partial<ViewState>, options?: { readonly replace?: boolean }): void;
  searchNearby(near: ViewState["near"]): void;
  onPicking(on: boolean): void;
  onFocusMap(): void;
  note(text: string): void;
}

const TYPING_PAUSE_MS = 250;
/** A slider from 1 km with fine steps near 1. */
const RADIUS_MAX_KM = 200;
const SLIDER_MAX = 100;

export function createAround({ say, number }: Translator, actions: AroundActions) {
  const radius = byId("radius", HTMLInputElement);
  const pickButton = byId("around-point", HTMLButtonElement);
  const meButton = byId("around-me", HTMLButtonElement);
  let picking = false;

  byId("around-clear", HTMLButtonElement).addEventListener("click", () => {
    actions.searchNearby(null);
    // The button disappears with the circle.
    pickButton.focus();
  });
  pickButton.addEventListener("click", () => {
    setPicking(!picking);
    if (picking) actions.onFocusMap();
  });
  meButton.addEventListener("click", locate);
  const widen = debounce(TYPING_PAUSE_MS, () => actions.change({ radius: radiusKm() }, { replace: true }));
  radius.addEventListener("input", () => {
    showRadius(radiusKm());
    widen();
  });

  function radiusKm() {
    const km = RADIUS_MAX_KM ** (Number(radius.value) / SLIDER_MAX);
    return km < 10 ? Math.round(km * 2) / 2 : Math.round(km);
  }

  function showRadius(km: number) {
    const text = say("km", { km: number(km, 1) });
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
    if (!("geolocation" in navigator)) return actions.note(say("noGeo"));
    return navigator.geolocation.getCurrentPosition(
      ({ coords }) => actions.searchNearby({ lat: coords.latitude, lon: coords.longitude }),
      () => actions.note(say("geoDenied")),
      { maximumAge: 60_000, timeout: 10_000 },
    );
  }

  return {
    setPicking,
    show({ near, radius: km }: Pick<ViewState, "near" | "radius">, plan: Plan | null) {
      for (const button of [pickButton, meButton]) button.disabled = plan !== "pro";
      byId("circle", HTMLElement).hidden = near === null || plan === "discovery";
      if (document.activeElement !== radius)
        radius.value = String((SLIDER_MAX * Math.log(km)) / Math.log(RADIUS_MAX_KM));
      showRadius(km);
      byId("circle-at", HTMLElement).textContent =
        near === null ? "" : say("aroundAt", { lat: near.lat.toFixed(3), lon: near.lon.toFixed(3) });
    },
  };
}
