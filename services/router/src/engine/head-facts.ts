/** Metadata of a head file, and the settings that this router adds to its card. */
import { readHead, rejectionIn, writeHead, type HeadContent } from "@triptych/decisions";
import { ALPHA_DEFAULT } from "@triptych/contracts";
import type { HeadMade, HeadSettings } from "../domain/heads/head.ts";
import type { OpenedFile } from "../domain/heads/trainer.ts";

type Json = HeadContent["card"][string];
type Members = { readonly [name: string]: Json };

/** `trunk` is a hex SHA-256. Throws an ArtifactError if the file is damaged or has another trunk. */
export function factsOf(bytes: Uint8Array, trunk: string): OpenedFile {
  const { name, sha256, routes, calibration, card, denseBytes, plusBytes } = readHead(bytes, trunk);
  const { risk_curve: _curve, ...report } = membersOf(card["report"]);
  const made: HeadMade = {
    sha256,
    trunk,
    routes: routes.map(({ route, kind, description, texts }) => ({ route, kind, description, texts })),
    denseBytes,
    plusBytes,
    revision: calibration.revision,
    temperature: calibration.temperature,
    qhat: calibration.qhat,
    report: { ...report, risk_curve: calibration.risk },
  };
  return {
    name,
    made,
    settings: settingsIn(card, calibration.alpha),
    rejected: rejectionIn(report, routes),
  };
}

/** Returns the file with the settings in its card, so that they survive an export and import. */
export function withSettings(bytes: Uint8Array, trunk: string, settings: HeadSettings): Uint8Array {
  const { sha256: _replaced, plusBytes: _same, ...head } = readHead(bytes, trunk);
  const { gate, minConf, auto, domain } = settings;
  const noted = { gate, min_conf: minConf, auto, domain, languages: settings.languages };
  return writeHead({ ...head, card: { ...head.card, settings: noted } });
}

function settingsIn(card: Members, alpha: number): HeadSettings {
  const settings = membersOf(card["settings"]);
  const { min_conf: minConf, domain } = settings;
  return {
    gate: settings["gate"] === "conformal" ? "conformal" : "floor",
    alpha: alpha > 0 && alpha < 1 ? alpha : ALPHA_DEFAULT,
    minConf: typeof minConf === "number" ? minConf : null,
    auto: settings["auto"] === true,
    domain: typeof domain === "string" ? domain : null,
    languages: listOf(settings["languages"]).filter((language) => typeof language === "string"),
  };
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function membersOf(value: Json | undefined): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}
