import { HEAD_TEXTS_MAX, TEXTS_PER_PHRASING_MAX, TEXTS_PER_ROUTE_MIN, type RouteKind } from "@triptych/contracts";
import { kindByName } from "../route-choice.ts";
import { expandPhrasing } from "./expand-phrasing.ts";
import type { HeadRouteView, HeadSettings } from "./head.ts";

export interface TaughtRoute {
  readonly route: string;
  readonly kind: RouteKind | null;
  readonly description: string;
  readonly phrasings: readonly string[];
}

export interface LabelledText {
  readonly text: string;
  readonly context: string;
  readonly route: string | null;
  readonly lang: string | null;
}

export interface TrainingRequest {
  readonly name: string;
  readonly routes: readonly TaughtRoute[];
  readonly slots: ReadonlyMap<string, readonly string[]>;
  readonly examples: readonly LabelledText[];
  readonly settings: HeadSettings;
  readonly plus: "auto" | boolean;
  readonly seed: number;
  readonly outOfScopeShare: number;
}

export interface HeadLesson {
  readonly name: string;
  readonly routes: readonly { readonly route: string; readonly kind: RouteKind; readonly description: string }[];
  readonly examples: readonly LessonText[];
  readonly settings: HeadSettings;
  readonly plus: "auto" | boolean;
  readonly seed: number;
  readonly outOfScopeShare: number;
}

interface LessonText extends LabelledText {
  /** Texts of one phrasing are in the same cross-fitting fold; an example is its own group. */
  readonly group?: string;
}

/** Yields to pending events: a request can contain millions of characters, and decisions must not wait for it. */
export type YieldToEventLoop = () => Promise<void>;

export async function lessonOf(request: TrainingRequest, yieldToEvents: YieldToEventLoop): Promise<HeadLesson> {
  const { name, routes, slots, examples, settings, plus, seed, outOfScopeShare } = request;
  const most = textsPerPhrasing({ routes, examples });
  // Sorted, so that the chosen combinations do not depend on the order of the values.
  const values = new Map([...slots].map(([slot, sent]) => [slot, sent.toSorted()]));
  const texts: LessonText[] = [];
  const pace = pacing(yieldToEvents);
  for (const { route, phrasings } of routes)
    for (const phrasing of phrasings) {
      const expanded = expandPhrasing(phrasing, values, most);
      for (const text of expanded) texts.push({ text, context: "", route, lang: null, group: phrasing });
      await pace(expanded.length * phrasing.length);
    }
  for (const example of examples) texts.push(example);
  return {
    name,
    routes: routes.map(({ route, kind, description }) => ({ route, kind: kind ?? kindByName(route), description })),
    examples: texts,
    settings,
    plus,
    seed,
    outOfScopeShare,
  };
}

/** Characters between yields; a few milliseconds of work. */
const CHARACTERS_PER_YIELD = 32_768;

function pacing(yieldToEvents: YieldToEventLoop): (characters: number) => Promise<void> {
  let gone = 0;
  return async (characters) => {
    gone += characters;
    if (gone < CHARACTERS_PER_YIELD) return;
    gone = 0;
    await yieldToEvents();
  };
}

/** The total is limited, so with many phrasings each one expands to fewer texts. */
export function textsPerPhrasing({ routes, examples }: Pick<TrainingRequest, "routes" | "examples">): number {
  const phrasings = routes.reduce((sum, route) => sum + route.phrasings.length, 0);
  const available = Math.floor((HEAD_TEXTS_MAX - examples.length) / Math.max(1, phrasings));
  return Math.max(1, Math.min(TEXTS_PER_PHRASING_MAX, available));
}

export interface ShortRoute {
  readonly index: number;
  readonly texts: number;
}

export interface TextsOfRoutes {
  readonly routes: readonly HeadRouteView[];
  readonly short: readonly ShortRoute[];
}

export async function countTexts(
  lesson: HeadLesson,
  {
    keyOf,
    yieldToEvents,
  }: { readonly keyOf: (text: string, context: string) => string; readonly yieldToEvents: YieldToEventLoop },
): Promise<TextsOfRoutes> {
  const keys = new Map(lesson.routes.map(({ route }) => [route, new Set<string>()]));
  const pace = pacing(yieldToEvents);
  for (const { text, context, route } of lesson.examples) {
    if (route !== null) keys.get(route)?.add(keyOf(text, context));
    await pace(text.length + context.length);
  }
  const routes = lesson.routes.map((route) => ({ ...route, texts: keys.get(route.route)?.size ?? 0 }));
  const short = routes.map(({ texts }, index) => ({ index, texts })).filter(({ texts }) => texts < TEXTS_PER_ROUTE_MIN);
  return { routes, short };
}
