/** A head as it was ordered: read and bounded, and turned into the texts that it is learned from. */
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
}

/** What a trainer is given. */
export interface HeadLesson {
  readonly name: string;
  readonly routes: readonly { readonly route: string; readonly kind: RouteKind; readonly description: string }[];
  readonly examples: readonly LessonText[];
  readonly settings: HeadSettings;
  readonly plus: "auto" | boolean;
  readonly seed: number;
}

interface LessonText extends LabelledText {
  /** Texts of one phrasing stay together in cross-fitting; an example stands for itself. */
  readonly group?: string;
}

/** Lets whatever waits be done. An order can be millions of characters, and decisions do not wait for it. */
export type YieldToEventLoop = () => Promise<void>;

export async function lessonOf(request: TrainingRequest, breathe: YieldToEventLoop): Promise<HeadLesson> {
  const { name, routes, slots, examples, settings, plus, seed } = request;
  const most = textsPerPhrasing({ routes, examples });
  // Where not all combinations are taken, which ones may not hang on the order in which values were sent.
  const values = new Map([...slots].map(([slot, sent]) => [slot, sent.toSorted()]));
  const texts: LessonText[] = [];
  const pace = pacing(breathe);
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
  };
}

/** Some milliseconds of work. */
const CHARACTERS_A_BREATH = 32_768;

function pacing(breathe: YieldToEventLoop): (characters: number) => Promise<void> {
  let gone = 0;
  return async (characters) => {
    gone += characters;
    if (gone < CHARACTERS_A_BREATH) return;
    gone = 0;
    await breathe();
  };
}

/** All texts together are bounded: where there are many phrasings, each becomes fewer texts. */
export function textsPerPhrasing({ routes, examples }: Pick<TrainingRequest, "routes" | "examples">): number {
  const phrasings = routes.reduce((sum, route) => sum + route.phrasings.length, 0);
  const available = Math.floor((HEAD_TEXTS_MAX - examples.length) / Math.max(1, phrasings));
  return Math.max(1, Math.min(TEXTS_PER_PHRASING_MAX, available));
}

export interface ShortRoute {
  /** Place in the order. */
  readonly index: number;
  readonly texts: number;
}

export interface TextsOfRoutes {
  readonly routes: readonly HeadRouteView[];
  readonly short: readonly ShortRoute[];
}

/** `keyOf` is the same for texts that training takes for one. */
export async function countTexts(
  lesson: HeadLesson,
  { keyOf, breathe }: { readonly keyOf: (text: string, context: string) => string; readonly breathe: YieldToEventLoop },
): Promise<TextsOfRoutes> {
  const keys = new Map(lesson.routes.map(({ route }) => [route, new Set<string>()]));
  const pace = pacing(breathe);
  for (const { text, context, route } of lesson.examples) {
    if (route !== null) keys.get(route)?.add(keyOf(text, context));
    await pace(text.length + context.length);
  }
  const routes = lesson.routes.map((route) => ({ ...route, texts: keys.get(route.route)?.size ?? 0 }));
  const short = routes.map(({ texts }, index) => ({ index, texts })).filter(({ texts }) => texts < TEXTS_PER_ROUTE_MIN);
  return { routes, short };
}
