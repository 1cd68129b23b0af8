/** Two experts side by side on the same text. */
import { Pairs } from "../../shared/components.tsx";
import type { Answer, AssessAnswer, Decision } from "./api.ts";
import { Confidence, Probabilities } from "./parts.tsx";
import { duration, euro, say } from "./words.ts";

const ROUTES_MAX = 5;

export interface Compared {
  /** The expert's name as the form shows it. */
  readonly title: string;
  readonly decision: Decision;
}

interface ComparisonProps {
  readonly sides: readonly Compared[];
  readonly priceMicro: number | null;
}

export function Comparison({ sides, priceMicro }: ComparisonProps) {
  const choices = sides.map(({ decision }) => choiceOf(decision.answer).route);
  const [one = "", other = ""] = choices;
  const isSame = one === other;
  return (
    <div id="comparison">
      <p id="agreement" class={isSame ? "mark good" : "mark unsure"}>
        {isSame ? say("bothChoose", { route: one }) : say("theyDiffer", { one, other })}
      </p>
      <div class="sides">
        {sides.map((side, index) => (
          <Side key={index} {...side} priceMicro={priceMicro} />
        ))}
      </div>
    </div>
  );
}

function Side({ title, decision, priceMicro }: Compared & Pick<ComparisonProps, "priceMicro">) {
  const { answer, headers } = decision;
  const { action, route, confidence, probabilities } = choiceOf(answer);
  const balance = headers.get("X-Meter-Balance-Micro");
  return (
    <section class="side" aria-label={title}>
      <h2>{title}</h2>
      <div class={`verdict ${action ?? "tool_call"}`}>
        <strong>{route}</strong>
        {action !== null && <p class="soft">{say(`action_${action}`)}</p>}
      </div>
      <Confidence of={confidence} />
      <Pairs
        pairs={[
          [say("decidedIn"), duration(answer.latency_ms)],
          [say("expert"), answer.expert ?? say("none")],
          [say("costName"), priceMicro === null ? say("free") : euro(priceMicro)],
          ...(balance === null ? [] : [[say("balance"), euro(Number(balance))] as const]),
        ]}
      />
      <h3>{say("topRoutes")}</h3>
      <Probabilities of={probabilities} chosen={route} most={ROUTES_MAX} id={`routes-of-${title}`} />
    </section>
  );
}

interface Choice {
  readonly action: AssessAnswer["action"] | null;
  readonly route: string;
  readonly confidence: number;
  readonly probabilities: Readonly<Record<string, number>>;
}

/** `noul` and `score` choose no route, and are not compared. */
function choiceOf(answer: Answer): Choice {
  if ("decision" in answer) return { ...answer.decision, action: answer.action, route: answer.decision.choice };
  if ("route" in answer) return answer;
  if ("choice" in answer) return { ...answer, action: null, route: answer.choice };
  throw new Error(`${answer.object} chooses no route`);
}
