import { remembered } from "../local.ts";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export const THEME_LABELS: Readonly<Record<Theme, string>> = { auto: "System", light: "Light", dark: "Dark" };
export const theme = remembered<Theme>("theme", THEMES, "auto");

export function applyTheme(): void {
  const apply = () => {
    document.documentElement.dataset["theme"] = theme.get();
  };
  apply();
  theme.watch(apply);
}
