/** Untrusted text, truncated to its beginning, or to its end for an output; expands on click. */
import { useState } from "react";
import { cutLine, plainText } from "../labels/plain-text.ts";
import { plural } from "../i18n.ts";

interface TextBlockProps {
  readonly text: string;
  readonly lines?: number;
  /** Set if the end matters most, as in check output. */
  readonly isTail?: boolean;
  readonly isCode?: boolean;
}

const LINE_LENGTH = 2_000;

export function TextBlock({ text, lines: most = 12, isTail = false, isCode = false }: TextBlockProps) {
  const [isWhole, setWhole] = useState(false);
  const lines = plainText(text).replace(/\n+$/, "").split("\n");
  const visibleLines = isWhole ? lines : isTail ? lines.slice(-most) : lines.slice(0, most);
  const left = lines.length - visibleLines.length;
  const more =
    left === 0 ? null : (
      <button type="button" className="more" onClick={() => setWhole(true)}>
        {isTail
          ? plural(left, "Show {count} earlier line", "Show {count} earlier lines")
          : plural(left, "Show {count} more line", "Show {count} more lines")}
      </button>
    );
  return (
    <div className={isCode ? "text code" : "text"}>
      {isTail ? more : null}
      <div className="lines" dir="auto">
        {visibleLines.map((line) => formatLine(line)).join("\n")}
      </div>
      {isTail ? null : more}
    </div>
  );
}

function formatLine(line: string): string {
  const { text, left } = cutLine(line, LINE_LENGTH);
  return left === 0 ? text : `${text}… (${plural(left, "{count} more character", "{count} more characters")})`;
}
