export { ArtifactFault, type ArtifactFaultCode } from "./artifact/artifact-fault.ts";
export { openTrunk, type Encoding, type Trunk, type TrunkSettings } from "./trunk/trunk.ts";
export { openHead, type Head, type HeadDecision } from "./head/open-head.ts";
export type { Evidence, Explanation } from "./head/explain-head.ts";
export type { HeadRoute, RouteKind } from "./head/head-file.ts";
export type { HeadExample } from "./head/examples.ts";
export { trainHead, type HeadOrder, type TrainedHead } from "./head/train-head.ts";
