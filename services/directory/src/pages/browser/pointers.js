/** Mouse, pen and touch input of the map. */

/** A press that moves fewer pixels is a click. */
const CLICK_SLACK = 5;

/**
 * One finger or the mouse drags, two fingers pinch, a press without movement clicks.
 * @param {HTMLCanvasElement} canvas
 * @param {{ onDrag: (dx: number, dy: number) => void, onPinch: (factor: number, x: number, y: number) => void, onClick:
 * (x: number, y: number) => void, onHover: (x: number | null, y: number | null) => void }} actions
 */
export function listenToPointers(canvas, { onDrag, onPinch, onClick, onHover }) {
  /** @type {Map<number, { x: number, y: number }>} */
  const down = new Map();
  let travelled = 0;
  const gap = () => {
    const [one, other] = [...down.values()];
    return { length: Math.hypot(one.x - other.x, one.y - other.y), x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (down.size === 0) travelled = 0;
    down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (before === undefined) return onHover(event.offsetX, event.offsetY);
    const pinched = down.size === 2 ? gap() : null;
    down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    travelled += Math.hypot(event.offsetX - before.x, event.offsetY - before.y);
    if (pinched !== null) {
      const now = gap();
      if (pinched.length > 0) onPinch(now.length / pinched.length, now.x, now.y);
      onDrag(now.x - pinched.x, now.y - pinched.y);
    } else if (travelled > CLICK_SLACK) onDrag(event.offsetX - before.x, event.offsetY - before.y);
    return undefined;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!down.delete(event.pointerId)) return;
    if (down.size === 0 && travelled <= CLICK_SLACK) onClick(event.offsetX, event.offsetY);
  });
  canvas.addEventListener("pointercancel", (event) => void down.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => onHover(null, null));
}
