/** Icons, 16 by 16, in the text color. Each accompanies text or has a label. */
const PATHS = {
  copy: "M5.5 5.5V3a.5.5 0 0 1 .5-.5h7a.5.5 0 0 1 .5.5v7a.5.5 0 0 1-.5.5h-2.5M3 5.5h7a.5.5 0 0 1 .5.5v7a.5.5 0 0 1-.5.5H3a.5.5 0 0 1-.5-.5V6a.5.5 0 0 1 .5-.5Z",
  tick: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  down: "M4 6.5 8 10.5 12 6.5",
  right: "M6.5 4 10.5 8 6.5 12",
  out: "M6 3.5H3.5v9h9V10M9 3h4v4M13 3 7.5 8.5",
  half: "M8 2.5a5.5 5.5 0 1 0 0 11ZM8 2.5a5.5 5.5 0 0 1 0 11M7 3v10M6 3.5v9M5 4.4v7.2M4 5.5v5",
  help: "M5.8 6a2.3 2.3 0 1 1 3.4 2c-.8.4-1.2.8-1.2 1.6M8 12.2v.1",
} as const;

export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
