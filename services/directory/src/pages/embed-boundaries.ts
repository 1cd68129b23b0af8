/**
 * `npm run make:outlines -- FILE.geojson`: generates the shipped outlines from département polygons (IGN Admin Express,
 * via france-geojson: `departements-avec-outre-mer.geojson` has all 101). Rounds every position to 1/100 degree (1.1 km at
 * most; overseas 1/400), which keeps shared borders identical; simplifying each polygon would not.
 */
import { readFile, writeFile } from "node:fs/promises";
import { Type } from "typebox";
import { Value } from "typebox/value";

const ATTRIBUTION = "IGN Admin Express, via france-geojson (Licence Ouverte 2.0)";
const UNITS_PER_DEGREE = 400;
/** Units of the grid. Overseas départements are small islands, except for Guyane. */
const GRID = 4;
const FINE_GRID = 1;
const CORNERS_MIN = 3;

const Ring = Type.Array(Type.Tuple([Type.Number(), Type.Number()]));
const Collection = Type.Object({
  features: Type.Array(
    Type.Object({
      properties: Type.Object({ code: Type.String() }),
      geometry: Type.Union([
        Type.Object({ type: Type.Literal("Polygon"), coordinates: Type.Array(Ring) }),
        Type.Object({ type: Type.Literal("MultiPolygon"), coordinates: Type.Array(Type.Array(Ring)) }),
      ]),
    }),
  ),
});

const [file = ""] = process.argv.slice(2);
const { features } = Value.Parse(Collection, JSON.parse(await readFile(file, "utf8")));
const outlines = features.map(({ properties, geometry }) => {
  const polygons = geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates;
  const { code } = properties;
  const grid = code.startsWith("97") && code !== "973" ? FINE_GRID : GRID;
  // An island that is too small for the grid disappears with its holes.
  const drawn = polygons.map((rings) =>
    rings.map((ring) => corners(ring, grid)).filter((ring) => ring.length >= CORNERS_MIN),
  );
  return { code, polygons: drawn.filter((rings) => rings.length > 0).map((rings) => rings.map(differences)) };
});
const lines = outlines.map((outline) => JSON.stringify(outline)).join(",\n");
const head = `"attribution": ${JSON.stringify(ATTRIBUTION)}, "units_per_degree": ${UNITS_PER_DEGREE}`;
await writeFile(new URL("boundaries.json", import.meta.url), `{ ${head}, "outlines": [\n${lines}\n] }\n`);

type Position = readonly [number, number];

/** Corners on the grid, without the repeated last position and collinear points. */
function corners(ring: readonly Position[], grid: number): Position[] {
  const snap = (degrees: number) => Math.round((degrees * UNITS_PER_DEGREE) / grid) * grid;
  const moved = ring.slice(0, -1).map(([lon, lat]): Position => [snap(lon), snap(lat)]);
  const apart = moved.filter(([x, y], index) => {
    const [beforeX, beforeY] = moved.at(index - 1) ?? [];
    return x !== beforeX || y !== beforeY;
  });
  return apart.filter(([x, y], index) => {
    const [beforeX, beforeY] = apart.at(index - 1) ?? [x, y];
    const [afterX, afterY] = apart[(index + 1) % apart.length] ?? [x, y];
    return (x - beforeX) * (afterY - y) !== (y - beforeY) * (afterX - x);
  });
}

function differences(positions: readonly Position[]): number[] {
  return positions.flatMap(([x, y], index) => {
    const [beforeX, beforeY] = index === 0 ? [0, 0] : (positions[index - 1] ?? [0, 0]);
    return [x - beforeX, y - beforeY];
  });
}
