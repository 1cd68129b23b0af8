import { grouped } from "../labels/format.ts";
import { classes } from "./table.tsx";
import { t } from "../i18n.ts";

interface MeterProps {
  readonly name: string;
  readonly value: number;
  /** Null if unlimited. */
  readonly cap: number | null;
  readonly show?: (value: number) => string;
}

const NEARLY = 0.9;

export function Meter({ name, value, cap, show = grouped }: MeterProps) {
  const share = cap === null || cap === 0 ? 0 : Math.min(1, value / cap);
  return (
    <div className="meter">
      <span className="soft">{name}</span>
      <span>
        {show(value)}{" "}
        <span className="soft">{cap === null ? t("no limit") : t("of {limit}", { limit: show(cap) })}</span>
      </span>
      <div className={classes("track", share >= NEARLY && "nearly")} aria-hidden="true">
        <div style={{ inlineSize: `${share * 100}%` }} />
      </div>
    </div>
  );
}
