import { remembered } from "../local.ts";
import { t } from "../i18n.ts";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export const THEME_LABELS: Readonly<Record<Theme, string>> = { auto: t("System"), light: t("Light"), dark: t("Dark") };
export const theme = remembered<Theme>("theme", THEMES, "auto");

export function applyTheme(): void {
  const apply = () => {
    document.documentElement.dataset["theme"] = theme.get();
  };
  apply();
  theme.watch(apply);
}
