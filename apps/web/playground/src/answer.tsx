/** Renders the response of any of the five operations. */
import type { ComponentChildren } from "preact";
import type { Answer, AssessAnswer, DecideAnswer, NoulAnswer, RouteAnswer, ScoreAnswer } from "./api.ts";
import { percent } from "./format.ts";
import { Bar, Confidence, decisionFacts, Facts, Levels, Probabilities, Reasons, Verdict } from "./parts.tsx";

export const ACTIONS = { tool_call: "Call the tool", generate: "Generate an answer", delegate: "Delegate" } as const;
const LEVELS = ["", "one direct step", "a choice, or several arguments", "several steps", "long work"];

interface Props<A> {
  /** The decided text. */
  readonly text: string;
  readonly answer: A;
  /** What it cost, next to the result, because the evidence may be long. */
  readonly payment: ComponentChildren;
}

export function AnswerView({ text, answer, payment }: Props<Answer>) {
  switch (answer.object) {
    case "route":
      return <Routed text={text} payment={payment} answer={answer as RouteAnswer} />;
    case "decision":
      return <Decided text={text} payment={payment} answer={answer as DecideAnswer} />;
    case "noul":
      return <Judged text={text} payment={payment} answer={answer as NoulAnswer} />;
    case "score":
      return <Scored text={text} payment={payment} answer={answer as ScoreAnswer} />;
    default:
      return <Assessed text={text} payment={payment} answer={answer as AssessAnswer} />;
  }
}

function Routed({ text, answer, payment }: Props<RouteAnswer>) {
  const { action, route, reason_text, confidence, gate_confidence, p_yes, tier } = answer;
  return (
    <>
      <Verdict big={ACTIONS[action]} kind={action} small={route} sentence={reason_text} />
      <Confidence of={confidence} />
      <Facts
        answer={answer}
        payment={payment}
        more={[
          ...decisionFacts(answer),
          ["Escalate", percent(p_yes)],
          ["Complexity", `${tier} of 4, ${LEVELS[tier]}`],
          ...(gate_confidence === undefined ? [] : [["Gate", percent(gate_confidence)] as const]),
        ]}
      />
      <h2>Probabilities</h2>
      <Probabilities of={answer.probabilities} chosen={route} />
      <Reasons text={text} of={answer.explanation} />
    </>
  );
}

function Decided({ text, answer, payment }: Props<DecideAnswer>) {
  const { choice, abstain, confidence, probabilities, explanation } = answer;
  return (
    <>
      <Verdict
        big={choice}
        kind={abstain ? "delegate" : "tool_call"}
        sentence={abstain ? "Too uncertain, or to be escalated: route would delegate." : ""}
      />
      <Confidence of={confidence} />
      <Facts answer={answer} payment={payment} more={decisionFacts(answer)} />
      <h2>Probabilities</h2>
      <Probabilities of={probabilities} chosen={choice} />
      <Reasons text={text} of={explanation} />
    </>
  );
}

function Judged({ text, answer, payment }: Props<NoulAnswer>) {
  const { escalate, explanation } = answer;
  return (
    <>
      <Verdict big={escalate ? "Escalate: yes" : "Escalate: no"} kind={escalate ? "delegate" : "generate"} />
      <Escalation {...answer} />
      <Facts answer={answer} payment={payment} more={[]} />
      <Reasons text={text} of={explanation} />
    </>
  );
}

function Escalation({ p_yes, threshold, escalate, rules }: AssessAnswer["escalation"]) {
  const matched = rules.length > 0 ? ` Matched rules: ${rules.join(", ")}.` : "";
  return (
    <>
      <div id="escalation" class="bars">
        <Bar label={escalate ? "yes" : "no"} note="probability of yes" share={p_yes} isChosen={escalate} />
      </div>
      <p id="rules" class="soft">
        Escalation threshold: {percent(threshold)}.{matched}
      </p>
    </>
  );
}

function Scored({ text, answer, payment }: Props<ScoreAnswer>) {
  const { complexity, expected, confidence, probabilities, explanation } = answer;
  return (
    <>
      <Verdict big={`Complexity ${complexity}`} kind="tool_call" sentence={LEVELS[complexity]} />
      <Confidence of={confidence} />
      <Facts answer={answer} payment={payment} more={[["Mean level", expected.toFixed(2)]]} />
      <h2>Complexity, 1 to 4</h2>
      <Levels of={probabilities} chosen={complexity} />
      <Reasons text={text} of={explanation} />
    </>
  );
}

function Assessed({ text, answer, payment }: Props<AssessAnswer>) {
  const { action, decision, escalation, complexity } = answer;
  return (
    <>
      <Verdict big={ACTIONS[action]} kind={action} small={decision.choice} />
      <Confidence of={decision.confidence} />
      <Facts answer={answer} payment={payment} more={decisionFacts(decision)} />
      <h2>Probabilities</h2>
      <Probabilities of={decision.probabilities} chosen={decision.choice} />
      <Reasons text={text} of={decision.explanation} />
      <h2>Escalate?</h2>
      <Escalation {...escalation} />
      <h2>Complexity, 1 to 4</h2>
      <Levels of={complexity.probabilities} chosen={complexity.complexity} />
    </>
  );
}
