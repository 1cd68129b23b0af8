/** @typedef {{ pan: (dx: number, dy: number) => void, zoom: (factor: number) => void, home: () => void, enter: () => void, escape: () => void }} KeyActions */
/** @type {Readonly<Record<string, (actions: KeyActions) => void>>} */
export const MAP_KEYS = {
  ArrowLeft: ({ pan }) => pan(60, 0),
  ArrowRight: ({ pan }) => pan(-60, 0),
  ArrowUp: ({ pan }) => pan(0, 60),
  ArrowDown: ({ pan }) => pan(0, -60),
  "+": ({ zoom }) => zoom(1.5),
  "=": ({ zoom }) => zoom(1.5),
  "-": ({ zoom }) => zoom(1 / 1.5),
  0: ({ home }) => home(),
  Home: ({ home }) => home(),
  Enter: ({ enter }) => enter(),
  Escape: ({ escape }) => escape(),
};
