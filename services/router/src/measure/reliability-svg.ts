/**
 * Draws a reliability diagram: the share of right answers by confidence, in bins of equal mass. Works on light and dark
 * pages.
 */
import { exactInterval } from "./intervals.ts";
import { reliabilityBins, type JudgedRow, type ReliabilityBin } from "./figures.ts";

export interface Diagram {
  readonly title: string;
  readonly rows: readonly JudgedRow[];
  readonly threshold: number | null;
  readonly ece: number;
}

const SIZE = 320;
const [LEFT, TOP] = [64, 56];
const HISTOGRAM_TOP = TOP + SIZE + 16;
const HISTOGRAM_HEIGHT = 56;
const WIDTH = LEFT + SIZE + 32;
const HEIGHT = HISTOGRAM_TOP + HISTOGRAM_HEIGHT + 56;
const TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1];

export function reliabilitySvg({ title, rows, threshold, ece }: Diagram): string {
  const bins = reliabilityBins(rows);
  const summary = `${rows.length} rows, ECE ${(ece * 100).toFixed(1)} %`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title summary">
<title id="title">${escaped(title)}</title>
<desc id="summary">Share of right answers against confidence. ${summary}.</desc>
<style>${STYLE}</style>
<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>
<text class="heading" x="${LEFT}" y="24">${escaped(clipped(title))}</text>
<text class="note" x="${LEFT}" y="43">${summary}</text>
${TICKS.map(gridOf).join("\n")}
<line class="ideal" x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}"/>
${threshold === null ? "" : thresholdLine(threshold)}
<polyline class="curve" points="${bins.map((bin) => `${x(bin.confidence)},${y(bin.right / bin.rows)}`).join(" ")}"/>
${bins.map(binOf).join("\n")}
${histogram(rows)}
<text class="axis" x="${LEFT + SIZE / 2}" y="${HEIGHT - 14}" text-anchor="middle">Confidence</text>
<text class="axis" transform="translate(16 ${TOP + SIZE / 2}) rotate(-90)" text-anchor="middle">Share of right answers</text>
</svg>
`;
}

const STYLE = [
  "svg{font:13px system-ui,sans-serif;--page:#fff;--text:#1f2328;--muted:#59636e;--grid:#d1d9e0;--data:#0969da;--mark:#bc4c00}",
  "@media (prefers-color-scheme:dark){svg{--page:#0d1117;--text:#f0f6fc;--muted:#9198a1;--grid:#3d444d;--data:#4493f8;--mark:#f0883e}}",
  ".page{fill:var(--page)}.heading{fill:var(--text);font-weight:600;font-size:15px}.note,.tick{fill:var(--muted)}.tick{font-size:11px}",
  ".axis{fill:var(--text)}.grid{stroke:var(--grid);stroke-width:1}.ideal{stroke:var(--muted);stroke-dasharray:4 4}",
  ".curve{fill:none;stroke:var(--data);stroke-width:2}.bin{fill:var(--data)}.spread{stroke:var(--data);stroke-width:1.5;opacity:.55}",
  ".mass{fill:var(--data);opacity:.55}.threshold{stroke:var(--mark);stroke-width:1.5}.label{fill:var(--mark);font-size:12px}",
].join("");

function x(value: number): string {
  return (LEFT + value * SIZE).toFixed(1);
}

function y(value: number): string {
  return (TOP + (1 - value) * SIZE).toFixed(1);
}

function gridOf(value: number): string {
  const text = value.toFixed(1);
  return [
    `<line class="grid" x1="${x(0)}" y1="${y(value)}" x2="${x(1)}" y2="${y(value)}"/>`,
    `<line class="grid" x1="${x(value)}" y1="${y(0)}" x2="${x(value)}" y2="${y(1)}"/>`,
    `<text class="tick" x="${LEFT - 8}" y="${y(value)}" dy="4" text-anchor="end">${text}</text>`,
    `<text class="tick" x="${x(value)}" y="${HISTOGRAM_TOP + HISTOGRAM_HEIGHT + 16}" text-anchor="middle">${text}</text>`,
  ].join("");
}

function binOf({ rows, right, confidence }: ReliabilityBin): string {
  const [low, high] = exactInterval({ count: right, of: rows });
  const at = x(confidence);
  const text = `confidence ${confidence.toFixed(3)}: ${right} of ${rows} right`;
  return `<g><title>${text}</title><line class="spread" x1="${at}" y1="${y(low)}" x2="${at}" y2="${y(high)}"/><circle class="bin" cx="${at}" cy="${y(right / rows)}" r="4"/></g>`;
}

function thresholdLine(threshold: number): string {
  const isRightHalf = threshold > 0.5;
  const place = `x="${x(threshold)}" dx="${isRightHalf ? -6 : 6}" y="${y(0)}" dy="-8" text-anchor="${isRightHalf ? "end" : "start"}"`;
  return `<line class="threshold" x1="${x(threshold)}" y1="${y(1)}" x2="${x(threshold)}" y2="${HISTOGRAM_TOP + HISTOGRAM_HEIGHT}"/><text class="label" ${place}>threshold ${threshold.toFixed(3)}</text>`;
}

const BARS = 20;

/** Number of rows by confidence. */
function histogram(rows: readonly JudgedRow[]): string {
  const counts = Array.from({ length: BARS }, () => 0);
  for (const { confidence } of rows) counts[Math.min(BARS - 1, Math.floor(confidence * BARS))] += 1;
  const most = Math.max(1, ...counts);
  const bars = counts.map((count, bar) => {
    const height = (count / most) * HISTOGRAM_HEIGHT;
    const top = HISTOGRAM_TOP + HISTOGRAM_HEIGHT - height;
    return `<rect class="mass" x="${x((bar + 0.06) / BARS)}" y="${top.toFixed(1)}" width="${((SIZE / BARS) * 0.88).toFixed(1)}" height="${height.toFixed(1)}"/>`;
  });
  return bars.join("");
}

/** A longer title would not fit. */
const TITLE_MAX = 44;

function clipped(title: string): string {
  return title.length > TITLE_MAX ? `${title.slice(0, TITLE_MAX - 1)}…` : title;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
