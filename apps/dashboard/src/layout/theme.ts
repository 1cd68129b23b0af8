/** Light or dark theme, by the system or by choice. */
import { remembered } from "../local.ts";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export const theme = remembered<Theme>("theme", THEMES, "auto");

/** Called before the first render. */
export function applyTheme(): void {
  const apply = () => {
    document.documentElement.dataset["theme"] = theme.get();
  };
  apply();
  theme.watch(apply);
}
