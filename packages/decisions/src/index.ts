export { ArtifactError, type ArtifactErrorCode } from "./artifact/artifact-error.ts";
export { loadTrunk, type Encoding, type HeadTrunk, type Trunk, type TrunkSettings } from "./trunk/trunk.ts";
export { loadHead, type Head, type HeadDecision } from "./head/load-head.ts";
export type { Evidence, Explanation } from "./head/explain-head.ts";
export { readHead, writeHead, type HeadContent, type HeadRoute, type RouteKind } from "./head/head-file.ts";
export { encodedAhead, openEncoderHead } from "./onnx/encoder-head.ts";
export { EncoderError } from "./onnx/optional-module.ts";
export { readEncoderFiles } from "./onnx/encoder-files.ts";
export { openSentenceEncoder, sentenceEncoderIdentity, type SentenceEncoder } from "./onnx/sentence-encoder.ts";
export { recalibrateHead, type FeedbackText, type Recalibration } from "./head/recalibrate.ts";
export { headCard } from "./model-card/head-card.ts";
export { rejectionIn } from "./head/rejection-in.ts";
export { loadBackground, type BackgroundText } from "./background/background.ts";
export { ARTIFACTS } from "./bundled-models.ts";
export type { HeadExample } from "./head/examples.ts";
export { textsOfTraining, trainHead, type TrainHeadInput, type TrainedHead } from "./head/train-head.ts";
export { openOptionsScorer, type OptionsDecision, type OptionsScorer } from "./options/load-options.ts";
export type { OptionEntry } from "./options/option.ts";
export type { OptionParameter } from "./options/parameters.ts";
export { readCommands, readCommandsFor, type CommandReading, type WithheldPart } from "./commands/read-commands.ts";
export { isReadable, isZero, normaliseText } from "./text/readable.ts";
export type { Vocabulary } from "./options/vocabulary.ts";
export type { RiskPoint } from "./calibration/risk.ts";
export type { SignalInput } from "./features/noul-features.ts";
export type { HandOffRule } from "./features/escalation-rules.ts";
export { openNoul, type Noul, type NoulDecision } from "./features/load-noul.ts";
export { openScore, type Score, type ScoreDecision, type ScoreInput } from "./features/load-score.ts";
export { openDomain, type Domain, type DomainDecision } from "./features/load-domain.ts";
export { binomialAtMost, riskCurve, rowsToProve, SAMPLED_DELTA, thresholdFor } from "./calibration/risk.ts";
export { bootstrap95, calibrationError } from "./evaluate/metrics.ts";
export { xorshift } from "./math/xorshift.ts";
export { log } from "./math/exp-log.ts";
export {
  answersProbe,
  openArtifacts,
  loadBundledModels,
  probeAnswer,
  type Artifacts,
  type Probe,
  type ShippedArtifacts,
} from "./bundled-models.ts";
