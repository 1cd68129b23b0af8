/** Fills the pull request template of a project: its headings stay, boxes are ticked only where that is proven. Pure. */

export interface TemplateParts {
  /** For a heading about the change. */
  readonly summary: string;
  /** For a heading about tests. */
  readonly checks: string;
  /** For a heading about AI. */
  readonly disclosure: string;
  /** The test command passed at the head. */
  readonly hasPassedTests: boolean;
}

type Subject = Exclude<keyof TemplateParts, "hasPassedTests">;

/** In this order: "How was this change tested?" is about tests. The words of section titles of public templates. */
const SUBJECTS: readonly (readonly [Subject, RegExp])[] = [
  ["disclosure", /\b(?:ai|llms?)\b/i],
  ["checks", /\b(?:test(?:s|ed|ing)?|verif\w+|validat\w+)\b/i],
  ["summary", /\b(?:descri\w+|summary|what|changes?|proposed|overview|motivation|why|purpose)\b/i],
];
const HEADING = /^\s{0,3}#{1,6}\s+\S|^\s*\*\*[^*]+\*\*:?\s*$/;
const BOX = /^(\s*[-*+]\s+)\[[ xX]\](\s+)/;
const TESTS_PASS = /\btests? (?:pass|passes|succeed)\b|\bpass(?:es)? (?:all |the )*(?:\w+ )?tests?\b/i;
const EMPTY = "Not stated.";

/** Null if the template has neither a heading nor a box. */
export function fillTemplate(template: string, parts: TemplateParts): string | null {
  const sections = sectionsOf(withoutComments(template));
  if (sections.every(({ heading, boxes }) => heading === null && boxes.length === 0)) return null;
  const used = new Set<Subject>();
  const filled = sections.map(({ heading, boxes }) => {
    const subject = heading === null ? undefined : subjectOf(heading, used);
    if (subject !== undefined) used.add(subject);
    const text = subject === undefined ? "" : parts[subject];
    const ticked = boxes.map((box) => tick(box, parts)).join("\n");
    const content = [text, ticked].filter(Boolean).join("\n\n");
    return heading === null ? content : `${heading}\n\n${content === "" ? EMPTY : content}`;
  });
  return filled.filter(Boolean).join("\n\n");
}

interface Section {
  readonly heading: string | null;
  readonly boxes: string[];
}

/** Prose is a hint for the author and left out: "Fixes #123" would close an issue. */
function sectionsOf(template: string): readonly Section[] {
  const sections: Section[] = [{ heading: null, boxes: [] }];
  for (const line of template.split(/\r?\n/))
    if (HEADING.test(line)) sections.push({ heading: line.trim(), boxes: [] });
    else if (BOX.test(line)) sections.at(-1)?.boxes.push(line.trimEnd());
  return sections;
}

/** A comment could imitate the mark by which the panel finds its pull request. */
function withoutComments(template: string): string {
  let [before, text] = ["", template];
  while (text !== before) [before, text] = [text, text.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, "")];
  return text;
}

function subjectOf(heading: string, used: ReadonlySet<Subject>): Subject | undefined {
  return SUBJECTS.find(([subject, words]) => !used.has(subject) && words.test(heading))?.[0];
}

function tick(box: string, { hasPassedTests }: TemplateParts): string {
  const isProven = hasPassedTests && TESTS_PASS.test(box);
  return box.replace(BOX, (_, mark: string, space: string) => `${mark}[${isProven ? "x" : " "}]${space}`);
}
