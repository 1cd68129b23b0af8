/** The results of verification. */
import type { ChainIssue, ChainReport } from "@triptych/client/entry-chain";
import { format, say } from "./words.ts";

interface MarkProps {
  readonly kind: "good" | "bad" | "unsure";
  readonly label: string;
  readonly text: string;
}

export function Mark({ kind, label, text }: MarkProps) {
  return (
    <p class={`mark ${kind}`}>
      <strong>{label}</strong> {text}
    </p>
  );
}

export function ChainVerdict({ report }: { readonly report: ChainReport }) {
  const { entries, balanceMicro, issues } = report;
  if (issues.length === 0) {
    const text = say("chainValid", { count: entries, balance: format.euro(balanceMicro) });
    return <Mark kind="good" label={say("valid")} text={text} />;
  }
  return (
    <>
      <Mark kind="bad" label={say("invalid")} text={say("chainBroken")} />
      <ul>
        {issues.map((issue, index) => (
          <li key={index}>{issueText(issue)}</li>
        ))}
      </ul>
    </>
  );
}

function issueText({ code, entry, expected, found }: ChainIssue): string {
  const name = `${entry.seq} (${entry.id})`;
  const isMoney = code === "balance" || code === "reversal_amount";
  const [first, last] = [expected, found].map((value) => (isMoney ? format.euro(value) : String(value)));
  if (code === "gap")
    return expected === found ? say("chain_gapOne", { first, name }) : say("chain_gap", { first, last, name });
  if (isMoney) return say(`chain_${code}`, { name, first, last });
  return say(`chain_${code}`, { name });
}
