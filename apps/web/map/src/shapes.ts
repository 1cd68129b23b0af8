/** Symbols of the types of items, drawn at run time: square actor, round place, diamond article. */
import type { Palette } from "./palette.ts";

const TYPES = ["actor", "place", "article"];
const SIZE = 15;
const RATIO = 2;

export const SHAPE_OPTIONS = { pixelRatio: RATIO };

/** Null for an image that does not belong to a type, such as one of the operator's style. */
export function drawShape(type: string, { accent, panel }: Palette): ImageData | null {
  if (!TYPES.includes(type)) return null;
  const canvas = document.createElement("canvas");
  canvas.width = SIZE * RATIO;
  canvas.height = SIZE * RATIO;
  // Drawn without the graphics card: reading back from it waits for everything that it has to draw.
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (context === null) return null;
  context.scale(RATIO, RATIO);
  context.translate(SIZE / 2, SIZE / 2);
  context.beginPath();
  if (type === "place") context.arc(0, 0, 5.5, 0, 2 * Math.PI);
  else {
    if (type === "article") context.rotate(Math.PI / 4);
    context.rect(-4.8, -4.8, 9.6, 9.6);
  }
  context.fillStyle = accent;
  context.strokeStyle = panel;
  context.lineWidth = 1.6;
  context.fill();
  context.stroke();
  return context.getImageData(0, 0, canvas.width, canvas.height);
}
