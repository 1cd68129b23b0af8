/** Building blocks of decisions: verdict, bars, facts, evidence. */
import type { ComponentChildren } from "preact";
import { Pairs } from "../../shared/components.tsx";
import type { Answer, Explanation, RouteAnswer } from "./api.ts";
import { highlightEvidence } from "./evidence.tsx";
import { duration, percent, say } from "./words.ts";

const ROUTES_MAX = 8;
const EVIDENCE_MAX = 8;

export type Fact = readonly [name: string, value: ComponentChildren];

export function Verdict({ big, kind, small = "", sentence = "" }: Readonly<VerdictProps>) {
  return (
    <div class={`verdict ${kind}`}>
      <strong id="action">{big}</strong>{" "}
      {small !== "" && (
        <span id="route" class="mono">
          {small}
        </span>
      )}
      {sentence !== "" && (
        <p id="reason" class="soft">
          {sentence}
        </p>
      )}
    </div>
  );
}

interface VerdictProps {
  big: string;
  kind: "tool_call" | "generate" | "delegate";
  small?: string;
  sentence?: string | undefined;
}

interface FactsProps {
  readonly answer: Answer;
  readonly more: readonly Fact[];
  readonly payment: ComponentChildren;
}

export function Facts({ answer, more, payment }: FactsProps) {
  return (
    <>
      <div id="facts">
        <Pairs pairs={[...more, ...commonFacts(answer)]} />
      </div>
      {payment}
    </>
  );
}

function commonFacts({ latency_ms, expert, domain, usage }: Answer): readonly Fact[] {
  const tokens = say("tokens", { count: usage.input_tokens });
  return [
    [say("decidedIn"), duration(latency_ms)],
    ...(expert === undefined ? [] : [[say("expert"), expert] as const]),
    ...(domain === undefined ? [] : [[say("subject"), domain] as const]),
    [say("input"), usage.truncated ? say("truncated", { tokens }) : tokens],
  ];
}

export function decisionFacts({ set, basis, via }: Pick<RouteAnswer, "set" | "basis" | "via">): readonly Fact[] {
  const others = set?.slice(1) ?? [];
  return [
    [say("component"), basis === "head" ? `head, ${via}` : via],
    [say("alternatives"), set === undefined ? say("notAvailable") : others.join(", ") || say("none")],
  ];
}

interface BarProps {
  readonly label: string;
  /** 0 to 1. */
  readonly share: number;
  readonly note?: string;
  /** Shown instead of the share. */
  readonly text?: string;
  readonly isChosen?: boolean;
  readonly isAgainst?: boolean;
}

export function Bar({ label, share, note, text, isChosen = false, isAgainst = false }: BarProps) {
  return (
    <div class={isChosen ? "row chosen" : "row"}>
      <span class="label">
        {label}
        {note !== undefined && <span class="soft"> {note}</span>}
      </span>
      <span class="track" aria-hidden="true">
        <span class={isAgainst ? "fill against" : "fill"} style={{ "--share": String(share) }} />
      </span>
      <span class="share">{text ?? percent(share)}</span>
    </div>
  );
}

export function Confidence({ of }: { readonly of: number }) {
  return (
    <div class="bars">
      <Bar label={say("confidence")} share={of} isChosen />
    </div>
  );
}

interface ProbabilitiesProps {
  readonly of: Readonly<Record<string, number>>;
  readonly chosen: string;
  readonly most?: number;
  readonly id?: string;
}

export function Probabilities({ of, chosen, most = ROUTES_MAX, id = "probabilities" }: ProbabilitiesProps) {
  const ranked = Object.entries(of).sort(([, a], [, b]) => b - a);
  const rest = ranked.length - most;
  return (
    <div id={id} class="bars">
      {ranked.slice(0, most).map(([label, share]) => (
        <Bar key={label} label={label} share={share} isChosen={label === chosen} />
      ))}
      {rest > 0 && <p class="soft">{say("lessLikely", { count: rest })}</p>}
    </div>
  );
}

export function Levels({ of, chosen }: { readonly of: Readonly<Record<string, number>>; readonly chosen: number }) {
  return (
    <div id="complexity" class="bars">
      {Object.entries(of).map(([level, share]) => (
        <Bar key={level} label={level} share={share} isChosen={Number(level) === chosen} />
      ))}
    </div>
  );
}

export function Reasons({ text, of }: { readonly text: string; readonly of: Explanation | undefined }) {
  if (of === undefined) return null;
  const { choice, versus, evidence } = of;
  const most = Math.max(1e-9, ...evidence.map(({ contribution }) => Math.abs(contribution)));
  return (
    <>
      <h2>
        {say("why")}
        {versus !== null && <span class="soft"> {say("ratherThan", { choice, versus })}</span>}
      </h2>
      <p class="words">{highlightEvidence(text, evidence)}</p>
      <div class="bars evidence">
        {evidence.slice(0, EVIDENCE_MAX).map(({ feature, kind, contribution }) => (
          <Bar
            key={`${kind} ${feature}`}
            label={feature}
            note={kind}
            share={Math.abs(contribution) / most}
            text={`${contribution < 0 ? "−" : "+"}${Math.abs(contribution).toFixed(2)}`}
            isAgainst={contribution < 0}
          />
        ))}
      </div>
    </>
  );
}
