import type { SettingField, SettingGroup } from "./setting-field.ts";
import { t } from "../../i18n.ts";

const NO_CAP = t("Empty: no limit.");
const cap = (name: string, label: string, hint: string, unit?: string): SettingField => ({
  path: `limits.${name}`,
  label,
  hint: `${hint} ${NO_CAP}`,
  kind: "count",
  least: 1,
  optional: true,
  ...(unit !== undefined && { unit }),
});

export const LIMITS: SettingGroup = {
  name: t("Limits"),
  about: t("A run that reaches a limit fails; its work so far is kept."),
  fields: [
    {
      path: "limits.timeout_s",
      label: t("Total time limit"),
      kind: "count",
      least: 60,
      most: 86_400,
      unit: "s",
      hint: t("From assignment to the end of the run."),
    },
    {
      path: "limits.idle_timeout_s",
      label: t("Idle timeout"),
      kind: "count",
      least: 30,
      most: 7_200,
      unit: "s",
      hint: t("No agent output for this long."),
    },
    {
      path: "limits.max_cost_micro",
      label: t("Cost"),
      kind: "euros",
      optional: true,
      hint: `${t("Checked before each model call, so it can be exceeded by one call.")} ${NO_CAP}`,
    },
    cap("max_tokens", t("Tokens"), t("Input and output, all roles together.")),
    cap("max_turns", t("Turns"), t("Model responses.")),
    cap("max_changed_files", t("Changed files"), t("A larger change fails the run.")),
    cap("max_diff_lines", t("Changed lines"), t("A larger change fails the run.")),
    cap("disk_mb", t("Disk"), t("On the worker, for this run."), t("MiB")),
    cap("memory_mb", t("Memory"), t("Total of all its processes."), t("MiB")),
    cap("processes", t("Processes"), t("At the same time.")),
  ],
};
