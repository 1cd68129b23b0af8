import { TERRITORIES, territoryOf } from "./projection.js";

/** @typedef {import("./projection.js").Territory} Territory */
/** @typedef {{ code: string, slug: string, nom: string, region: string, town: string, place: { lat: number, lon: number }, isCapital: boolean }} Anchor */
/** @typedef {{ anchors: readonly Anchor[], attribution: string | null, land: (territory: Territory) => Path2D | null, landOf: (territory: Territory, codes: readonly string[]) => Path2D | null }} Background */

/** Coordinates are integers of 1/10,000 degree, each ring as its first position and then deltas. */
const UNIT = 10_000;

/** Fallback: list, filters and points work without a background. @type {Background} */
export const bareBackground = { anchors: [], attribution: null, land: () => null, landOf: () => null };

/** @returns {Promise<Background>} */
export async function loadBackground() {
  const response = await fetch("/carte/background.json");
  if (!response.ok) throw new Error(`loading the map background failed with ${response.status}`);
  /** @type {{ anchors: (Omit<Anchor, "place"> & { lat: number, lon: number })[], attribution: string | null, outlines: { code: string, rings: number[][] }[] }} */
  const sent = await response.json();
  const anchors = sent.anchors.map(({ lat, lon, ...anchor }) => ({ ...anchor, place: { lat, lon } }));
  /** @type {Map<Territory, { code: string, path: Path2D }[]>} */
  const outlines = new Map(TERRITORIES.map((territory) => [territory, []]));
  for (const { code, rings } of sent.outlines) {
    const anchor = anchors.find((candidate) => candidate.code === code);
    const territory = anchor === undefined ? TERRITORIES[0] : territoryOf(anchor.place);
    outlines.get(territory)?.push({ code, path: pathOf(rings, territory) });
  }
  const whole = new Map([...outlines].map(([territory, parts]) => [territory, union(parts)]));
  return {
    anchors,
    attribution: sent.attribution,
    land: (territory) => whole.get(territory) ?? null,
    landOf: (territory, codes) => union((outlines.get(territory) ?? []).filter((part) => codes.includes(part.code))),
  };
}

function pathOf(/** @type {readonly (readonly number[])[]} */ rings, /** @type {Territory} */ { project }) {
  const path = new Path2D();
  for (const ring of rings) {
    let [lon, lat] = [0, 0];
    for (let index = 0; index + 1 < ring.length; index += 2) {
      lon += ring[index];
      lat += ring[index + 1];
      const { x, y } = project({ lon: lon / UNIT, lat: lat / UNIT });
      if (index === 0) path.moveTo(x, y);
      else path.lineTo(x, y);
    }
    path.closePath();
  }
  return path;
}

function union(/** @type {readonly { path: Path2D }[]} */ parts) {
  if (parts.length === 0) return null;
  const all = new Path2D();
  for (const { path } of parts) all.addPath(path);
  return all;
}
