import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { boundsAround, frameBounds } from "../../src/pages/browser/viewport.js";
import { countMarks } from "../../src/pages/browser/markers.js";
import { TERRITORIES, planeBounds } from "../../src/pages/browser/projection.js";
import { mapBackground } from "../../src/pages/map-background.ts";

const kilometres = fc.double({ min: -2000, max: 2000, noNaN: true });

test("frames bounds completely between the overlays at top and bottom", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ x: kilometres, y: kilometres }), { minLength: 1, maxLength: 20 }),
      fc.record({ width: fc.integer({ min: 320, max: 3000 }), height: fc.integer({ min: 400, max: 2000 }) }),
      fc.record({ above: fc.integer({ min: 0, max: 60 }), below: fc.integer({ min: 0, max: 200 }) }),
      (points, size, covered) => {
        const { x, y, pixelsPerKm } = frameBounds(boundsAround(points, 1), { ...size, ...covered });
        for (const point of points) {
          const across = size.width / 2 + (point.x - x) * pixelsPerKm;
          const down = size.height / 2 + (point.y - y) * pixelsPerKm;
          assert.ok(across >= 0 && across <= size.width);
          assert.ok(down >= covered.above && down <= size.height - covered.below);
        }
      },
    ),
    { seed: 3, numRuns: 300 },
  );
});

test("shows the total of the metropole inside its inset", () => {
  const [metropole] = TERRITORIES;
  assert.ok(metropole !== undefined);
  const frame = frameBounds(planeBounds(metropole), { width: 90, height: 90, above: 0, below: 0 });
  const view = { territory: metropole, left: 10, top: 10, width: 90, height: 90, inset: true, ...frame };
  const counts = mapBackground(null)
    .anchors.slice(0, 90)
    .map(({ slug, nom, lat, lon }) => ({
      filter: "departements" as const,
      value: slug,
      label: nom,
      count: 500,
      chosen: false,
      place: { lat, lon },
    }));
  const layer = { anchors: [], land: null, chosenLand: null, points: [], circle: null, chosen: null };
  const [mark, ...others] = countMarks(view, { ...layer, counts, largestCount: 500 });
  assert.deepEqual([mark?.count?.count, mark?.count?.label, others], [45_000, "Métropole", []]);
  assert.ok(mark !== undefined && mark.r < 20 && mark.x - mark.r >= 10 && mark.y + mark.r <= 100);
  assert.equal(countMarks({ ...view, inset: false }, { ...layer, counts, largestCount: 500 }).length, 90);
});
