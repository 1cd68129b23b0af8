import { MEDIA_TYPES, type ListFormat } from "@triptych/contracts";
import { acceptedLanguage, acceptedMedia, notAcceptable, type Problem } from "@triptych/server";
import type { Language } from "../domain/language.ts";
import type { FastifyRequest } from "fastify";

type Format = keyof typeof MEDIA_TYPES;

export function chooseFormat<F extends Format>(
  request: FastifyRequest,
  requested: F | undefined,
  offered: readonly F[],
): F | null {
  if (requested !== undefined) return requested;
  const media = acceptedMedia(request, offered.map(fullType));
  return offered.find((format) => fullType(format) === media) ?? null;
}

export function noFormatAccepted(offered: readonly Format[]): Problem {
  return notAcceptable(offered.map((format) => MEDIA_TYPES[format]));
}

export function contentType(format: Format): string {
  return format === "csv" || format === "json" ? fullType(format) : MEDIA_TYPES[format];
}

/** Gives CSV and other files a name, because browsers would save them as "items", without an extension. */
export function dispositionHeader(format: ListFormat): Record<string, string> {
  return format === "json" ? {} : { "content-disposition": `attachment; filename="items.${format}"` };
}

/** Includes all parameters, so that `Accept` can name them. */
function fullType(format: Format): string {
  return `${MEDIA_TYPES[format]}${format === "csv" ? "; header=present" : ""}; charset=utf-8`;
}

/** Language of responses for programs: English unless the client prefers French. */
export function programLanguageOf(request: Pick<FastifyRequest, "headers">): Language {
  return acceptedLanguage<Language>(request, ["en", "fr"]);
}

export function languageOf(request: Pick<FastifyRequest, "headers">): Language {
  return acceptedLanguage<Language>(request, ["fr", "en"]);
}
