/** Renders the response of any of the five operations. */
import type { ComponentChildren } from "preact";
import type { Answer, AssessAnswer, DecideAnswer, NoulAnswer, RouteAnswer, ScoreAnswer } from "./api.ts";
import { Bar, Confidence, decisionFacts, Facts, Levels, Probabilities, Reasons, Verdict } from "./parts.tsx";
import { percent, say } from "./words.ts";

const LEVELS = ["", say("level_1"), say("level_2"), say("level_3"), say("level_4")];

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
      <Verdict big={say(`action_${action}`)} kind={action} small={route} sentence={reason_text} />
      <Confidence of={confidence} />
      <Facts
        answer={answer}
        payment={payment}
        more={[
          ...decisionFacts(answer),
          [say("escalate"), percent(p_yes)],
          [say("complexity"), say("complexityOf", { level: tier, meaning: LEVELS[tier] ?? "" })],
          ...(gate_confidence === undefined ? [] : [[say("gate"), percent(gate_confidence)] as const]),
        ]}
      />
      <h2>{say("probabilities")}</h2>
      <Probabilities of={answer.probabilities} chosen={route} />
      <Reasons text={text} of={answer.explanation} />
    </>
  );
}

function Decided({ text, answer, payment }: Props<DecideAnswer>) {
  const { choice, abstain, confidence, probabilities, explanation } = answer;
  return (
    <>
      <Verdict big={choice} kind={abstain ? "delegate" : "tool_call"} sentence={abstain ? say("uncertain") : ""} />
      <Confidence of={confidence} />
      <Facts answer={answer} payment={payment} more={decisionFacts(answer)} />
      <h2>{say("probabilities")}</h2>
      <Probabilities of={probabilities} chosen={choice} />
      <Reasons text={text} of={explanation} />
    </>
  );
}

function Judged({ text, answer, payment }: Props<NoulAnswer>) {
  const { escalate, explanation } = answer;
  return (
    <>
      <Verdict big={say(escalate ? "escalateYes" : "escalateNo")} kind={escalate ? "delegate" : "generate"} />
      <Escalation {...answer} />
      <Facts answer={answer} payment={payment} more={[]} />
      <Reasons text={text} of={explanation} />
    </>
  );
}

function Escalation({ p_yes, threshold, escalate, rules }: AssessAnswer["escalation"]) {
  const matched = rules.length > 0 ? ` ${say("matchedRules", { rules: rules.join(", ") })}` : "";
  return (
    <>
      <div id="escalation" class="bars">
        <Bar label={say(escalate ? "yes" : "no")} note={say("probabilityOfYes")} share={p_yes} isChosen={escalate} />
      </div>
      <p id="rules" class="soft">
        {say("threshold", { share: percent(threshold) })}
        {matched}
      </p>
    </>
  );
}

function Scored({ text, answer, payment }: Props<ScoreAnswer>) {
  const { complexity, expected, confidence, probabilities, explanation } = answer;
  return (
    <>
      <Verdict big={say("complexityIs", { level: complexity })} kind="tool_call" sentence={LEVELS[complexity]} />
      <Confidence of={confidence} />
      <Facts answer={answer} payment={payment} more={[[say("meanLevel"), expected.toFixed(2)]]} />
      <h2>{say("complexityLevels")}</h2>
      <Levels of={probabilities} chosen={complexity} />
      <Reasons text={text} of={explanation} />
    </>
  );
}

function Assessed({ text, answer, payment }: Props<AssessAnswer>) {
  const { action, decision, escalation, complexity } = answer;
  return (
    <>
      <Verdict big={say(`action_${action}`)} kind={action} small={decision.choice} />
      <Confidence of={decision.confidence} />
      <Facts answer={answer} payment={payment} more={decisionFacts(decision)} />
      <h2>{say("probabilities")}</h2>
      <Probabilities of={decision.probabilities} chosen={decision.choice} />
      <Reasons text={text} of={decision.explanation} />
      <h2>{say("escalateQuestion")}</h2>
      <Escalation {...escalation} />
      <h2>{say("complexityLevels")}</h2>
      <Levels of={complexity.probabilities} chosen={complexity.complexity} />
    </>
  );
}
