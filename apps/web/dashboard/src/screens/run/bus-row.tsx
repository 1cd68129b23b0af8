import type { BusRole } from "@triptych/contracts/plain";
import type { BusMessage } from "@triptych/contracts";
import { memo, useState } from "react";
import type { Row } from "../../run-events/rows.ts";
import { Clock } from "../../components/stat-values.tsx";
import { Icon } from "../../components/icon.tsx";
import { classes } from "../../components/table.tsx";
import { TextBlock } from "../../components/text-block.tsx";
import { firstLine } from "../../labels/plain-text.ts";
import { kindLabel, ROLE_LABELS } from "../../labels/bus.ts";
import { STATE_LABELS } from "../../labels/runs.ts";
import { plural, t } from "../../i18n.ts";
import { rich } from "../../components/rich.tsx";

interface BusRowProps {
  readonly row: Row;
  readonly lanes: readonly BusRole[];
  readonly isChosen: boolean;
}

export const BusRow = memo(({ row, lanes, isChosen }: BusRowProps) => {
  const [first] = row.messages;
  return (
    <div
      className={classes("message", `kind-${first.kind}`, row.isError && "error", isChosen && "chosen")}
      data-row={row.key}
    >
      <span className="when soft">
        <Clock at={first.at} />
      </span>
      <span className="rail" aria-hidden="true">
        {lanes.map((lane) => (
          <i key={lane} className={lane === row.role ? "here" : undefined} />
        ))}
      </span>
      <span className="who">{ROLE_LABELS[row.role]}</span>
      <div className="said">{row.isFold ? <Fold messages={row.messages} /> : <MessageContent message={first} />}</div>
    </div>
  );
});

function MessageContent({ message }: { readonly message: BusMessage }) {
  const { kind, text, data } = message;
  if (kind === "state") return <StateChange data={data} text={text} />;
  if (kind === "verify") return <FoldedOutput name={checksLabel(data["exit_code"])} text={text} />;
  if (kind === "log") return <TextBlock text={text} lines={6} isTail isCode />;
  if (kind === "usage" || kind === "gap") return <span className="soft">{text}</span>;
  if (kind === "diff") return <TextBlock text={text} lines={16} isCode />;
  if (kind === "message") return <TextBlock text={text} />;
  return (
    <>
      <span className="kind">{kindLabel(kind)}</span>{" "}
      <TextBlock text={kind === "verdict" ? text.replaceAll("_", " ") : text} />
    </>
  );
}

function checksLabel(exitCode: unknown): string {
  return exitCode === undefined ? t("checks") : exitCode === 0 ? t("checks passed") : t("checks failed");
}

/** Long output: its first line, expandable; the verify tab shows it in full. */
function FoldedOutput({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <details className="fold">
      <summary>
        <Icon name="right" />
        <span className="kind">{name}</span> <code>{firstLine(text)}</code>
      </summary>
      <TextBlock text={text} lines={40} isTail isCode />
    </details>
  );
}

function StateChange({ data, text }: { readonly data: BusMessage["data"]; readonly text: string }) {
  const state = typeof data["state"] === "string" ? data["state"] : text;
  const label = Object.entries(STATE_LABELS).find(([name]) => name === state)?.[1] ?? state;
  return <span>{rich(t("State: <b>{label}</b>"), { label })}</span>;
}

function Fold({ messages }: { readonly messages: readonly BusMessage[] }) {
  const [isOpen, open] = useState(false);
  const calls = messages.filter(({ kind }) => kind === "tool_call");
  const summaryCall = calls.at(-1) ?? messages[messages.length - 1];
  return (
    <details className="fold" onToggle={({ currentTarget }) => open(currentTarget.open)}>
      <summary>
        <Icon name="right" />
        <span className="kind">
          {plural(Math.max(1, calls.length), "{count} tool call", "{count} tool calls")}
        </span>{" "}
        <code>{firstLine(summaryCall.text)}</code>
      </summary>
      {isOpen
        ? messages.map(({ seq, kind, text }) => (
            <div key={seq} className={kind}>
              <TextBlock text={text} lines={kind === "tool_call" ? 8 : 6} isCode />
            </div>
          ))
        : null}
    </details>
  );
}
