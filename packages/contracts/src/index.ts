export {
  defineEndpoint,
  type EndpointResponse,
  type AnswerOf,
  type BodyOf,
  type ContractTag,
  type CredentialSource,
  type DescribedBodyOf,
  type Endpoint,
  type Method,
  type ParamsOf,
  type QueryOf,
  type ServiceContract,
} from "./endpoint.ts";
export type { EndpointModules } from "./endpoint-modules.ts";
export { problems, type ValidationIssue, type ProblemBody, type ProblemCode } from "./problems.ts";
export { canonicalEntries, canonicalJson } from "./canonical-json.ts";
export { directoryContract } from "./directory/contract.ts";
export * from "./directory/endpoints.ts";
export * from "./directory/limits.ts";
export * from "./directory/item.ts";
export * from "./rail/admin-endpoints.ts";
export * from "./rail/admin-ledger-endpoints.ts";
export { railContract } from "./rail/contract.ts";
export * from "./rail/limits.ts";
export * from "./rail/service-endpoints.ts";
export type { ChargeRequest, ChargeResult, DeliveredCharge, ReachedCap } from "./rail/schemas.ts";
export * from "./rail/wallet-endpoints.ts";
export * from "./routing/compat-endpoints.ts";
export * from "./routing/contract.ts";
export * from "./routing/decision-endpoints.ts";
export * from "./routing/gateway-contract.ts";
export { errorMember, errorType, type ErrorMember } from "./routing/error-member.ts";
export * from "./routing/head-endpoints.ts";
export { type Head } from "./routing/head-schemas.ts";
export * from "./routing/information-endpoints.ts";
export * from "./routing/limits.ts";
export { routingLimits } from "./routing/pricing-limits.ts";
export * from "./panel/account-endpoints.ts";
export type { AccessToken, Account, Memory } from "./panel/account-schemas.ts";
export * from "./panel/auth-endpoints.ts";
export * from "./panel/candidate-endpoints.ts";
export { Proposal, type Candidate, type ExploreStats, type GateProof } from "./panel/candidate-schemas.ts";
export * from "./panel/contract.ts";
export * from "./panel/delivery-endpoints.ts";
export * from "./panel/limits.ts";
export * from "./panel/repo-endpoints.ts";
export type { AiPolicy, CredentialSent, Repo, RepoCheck } from "./panel/repo-schemas.ts";
export * from "./panel/run-endpoints.ts";
export * from "./panel/follow-up-endpoints.ts";
export type {
  CommandResult,
  Run,
  RunDiff,
  RunExplore,
  RunGate,
  RunPr,
  PrHealth,
  FollowUp,
  RunUsage,
  RunVerify,
} from "./panel/run-schemas.ts";
export {
  ENVIRONMENT_MAX,
  environmentNameIssue,
  type Environment,
  type EnvironmentPatch,
} from "./panel/environment-schemas.ts";
export type { RepoSettings, Scouting, SettingsPatch, TeamPatch } from "./panel/settings-schemas.ts";
export * from "./panel/schedule-endpoints.ts";
export * from "./panel/statement-endpoints.ts";
export {
  RUN_PREDICATE_PATH,
  type RunPredicate,
  type RunStatement,
  IN_TOTO_MEDIA,
  IN_TOTO_STATEMENT_TYPE,
  type StatementResult,
} from "./panel/statement-schemas.ts";
export * from "./panel/worker-endpoints.ts";
export * from "./panel/bus-endpoints.ts";
export type { BusMessage } from "./panel/bus-schemas.ts";
export * from "./panel/worker-frames.ts";
export type { ProbeResult, Worker, WorkerModels, WorkerStatus } from "./panel/worker-schemas.ts";
