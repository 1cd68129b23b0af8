export { ArtifactFault, type ArtifactFaultCode } from "./artifact/artifact-fault.ts";
export { openTrunk, type Encoding, type HeadTrunk, type Trunk, type TrunkSettings } from "./trunk/trunk.ts";
export { openHead, type Head, type HeadDecision } from "./head/open-head.ts";
export type { Evidence, Explanation } from "./head/explain-head.ts";
export { readHead, writeHead, type HeadContent, type HeadRoute, type RouteKind } from "./head/head-file.ts";
export { encodedAhead, openEncoderHead } from "./onnx/encoder-head.ts";
export { EncoderFault } from "./onnx/encoder-fault.ts";
export { openSentenceEncoder, sentenceEncoderIdentity, type SentenceEncoder } from "./onnx/sentence-encoder.ts";
export { recalibrateHead, type FeedbackText, type Recalibration } from "./head/recalibrate.ts";
export { headCard } from "./model-card/head-card.ts";
export { rejectionIn } from "./head/rejection-in.ts";
export { normaliseText } from "./text/normalise.ts";
export { ARTIFACTS } from "./shipped-artifacts.ts";
export type { HeadExample } from "./head/examples.ts";
export { trainHead, type HeadOrder, type TrainedHead } from "./head/train-head.ts";
export { openOptionsScorer, type OptionsDecision, type OptionsScorer } from "./options/open-options.ts";
export type { OptionEntry } from "./options/option.ts";
export type { Vocabulary } from "./options/vocabulary.ts";
export type { RiskPoint } from "./calibration/risk.ts";
export type { SignalInput } from "./features/noul-signals.ts";
export type { HandOffRule } from "./features/hand-off-rules.ts";
export { openNoul, type Noul, type NoulDecision } from "./features/open-noul.ts";
export { openScore, type Score, type ScoreDecision, type ScoreInput } from "./features/open-score.ts";
export { openDomain, type Domain, type DomainDecision } from "./features/open-domain.ts";
export { thresholdFor } from "./calibration/risk.ts";
export { log } from "./math/exp-log.ts";
export {
  answersProbe,
  openArtifacts,
  openShippedArtifacts,
  probeAnswer,
  type Artifacts,
  type Probe,
  type ShippedArtifacts,
} from "./shipped-artifacts.ts";
