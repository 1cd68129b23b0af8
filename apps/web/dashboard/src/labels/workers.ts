import type { Worker } from "@triptych/contracts";
import { t } from "../i18n.ts";

export const HEALTH_LABELS: Readonly<Record<Worker["health"], string>> = {
  online: t("online"),
  degraded: t("degraded"),
  stale: t("stale"),
  offline: t("offline"),
  disabled: t("disabled"),
};
