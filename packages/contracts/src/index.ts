export {
  defineEndpoint,
  type Answer,
  type AnswerOf,
  type BodyOf,
  type CredentialCarrier,
  type Endpoint,
  type Method,
  type ParamsOf,
  type QueryOf,
  type ServiceContract,
} from "./endpoint.ts";
export { problems, type Fault, type ProblemBody, type ProblemCode } from "./problems.ts";
export * from "./directory/endpoints.ts";
export * from "./directory/limits.ts";
export * from "./directory/item.ts";
