/**
 * Renders a text with elements: `<b>`, `<code>` and those of `parts`, which get the text inside as their children. Text of third parties
 * belongs in `parts`, where it is never parsed.
 */
import { cloneElement, createElement, Fragment, isValidElement, type ReactNode } from "react";

export type Parts = Readonly<Record<string, ReactNode>>;

const PART = /<(\w+)>(.*?)<\/\1>|\{(\w+)\}/g;

export function rich(text: string, parts: Parts = {}): ReactNode {
  const nodes: ReactNode[] = [];
  let end = 0;
  for (const found of text.matchAll(PART)) {
    const [whole, tag, inner = "", name = ""] = found;
    nodes.push(text.slice(end, found.index), tag === undefined ? parts[name] : element(tag, rich(inner, parts), parts));
    end = found.index + whole.length;
  }
  return createElement(Fragment, null, ...nodes, text.slice(end));
}

function element(tag: string, inner: ReactNode, parts: Parts): ReactNode {
  const part = parts[tag];
  return isValidElement(part) ? cloneElement(part, undefined, inner) : createElement(tag, null, inner);
}
