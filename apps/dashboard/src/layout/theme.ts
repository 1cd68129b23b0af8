import { remembered } from "../local.ts";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export const theme = remembered<Theme>("theme", THEMES, "auto");

export function applyTheme(): void {
  const apply = () => {
    document.documentElement.dataset["theme"] = theme.get();
  };
  apply();
  theme.watch(apply);
}
