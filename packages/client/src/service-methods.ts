/** Types of the methods that `createTriptych` creates, derived from the endpoints of the contracts. */
import type { AnswerOf, DescribedBodyOf, Endpoint, EndpointModules, ParamsOf, QueryOf } from "@triptych/contracts";
import type { EventOf, IsOnlyStream, IsStream, StreamOptions } from "./events.ts";
import type { AdminId, MethodOf, ResourceOf } from "./names.ts";
import type { IsPaged, ItemOf } from "./pages.ts";
import type { Reply, RequestOptions } from "./request.ts";

export type Triptych = { readonly [S in keyof EndpointModules]: Service<PublicEndpoints<EndpointModules[S]>> };

/** Endpoints for workers, for other services, and with raw bodies have no method. */
type Internal =
  | { readonly auth: "worker" | "run" | "check" | "service" }
  | { readonly rawBody: true }
  | { readonly streamBody: true };
type PublicEndpoints<Module> = {
  readonly [
    Name in keyof Module as Module[Name] extends Endpoint
      ? Module[Name] extends Internal
        ? never
        : Module[Name]["id"]
      : never
  ]: Module[Name] extends Endpoint ? Module[Name] : never;
};

type Endpoints = Readonly<Record<string, Endpoint>>;
type Service<E> = E extends Endpoints
  ? Resources<Omit<E, AdminId<keyof E & string>>, keyof E & string> &
      ([AdminId<keyof E & string>] extends [never]
        ? object
        : { readonly admin: Resources<Pick<E, AdminId<keyof E & string>>, keyof E & string> })
  : never;

type Resources<E, Ids extends string> = E extends Endpoints
  ? {
      readonly [Resource in Exclude<ResourceOf<keyof E & string, Ids>, "">]: Methods<E, Ids, Resource>;
    } & Methods<E, Ids, "">
  : never;

type Methods<E extends Endpoints, Ids extends string, Resource extends string> = {
  readonly [
    Id in keyof E & string as ResourceOf<Id, Ids> extends Resource
      ? IsOnlyStream<E[Id]> extends true
        ? never
        : MethodOf<Id, Ids>
      : never
  ]: Method<E[Id]>;
} & {
  readonly [
    Id in keyof E & string as ResourceOf<Id, Ids> extends Resource
      ? IsPaged<E[Id]> extends true
        ? "iterate"
        : never
      : never
  ]: (...input: Arguments<E[Id], RequestOptions>) => AsyncGenerator<ItemOf<E[Id]>, void, undefined>;
} & {
  readonly [
    Id in keyof E & string as ResourceOf<Id, Ids> extends Resource
      ? IsStream<E[Id]> extends true
        ? "stream"
        : never
      : never
  ]: (...input: Arguments<E[Id], StreamOptions>) => AsyncGenerator<EventOf<E[Id]>, void, undefined>;
};

/** Path, query and body parameters of an endpoint in one object: their names never collide. */
export type Parameters<E extends Endpoint> = ParamsOf<E> & Omit<QueryOf<E>, "key"> & DescribedBodyOf<E>;

type Arguments<E extends Endpoint, Options> =
  object extends Parameters<E>
    ? [parameters?: Parameters<E>, options?: Options]
    : [parameters: Parameters<E>, options?: Options];

export interface Answer<E extends Endpoint> extends Promise<AnswerOf<E>> {
  /** Resolves with body, status and headers (for example the receipt of a decision). */
  withResponse(): Promise<Reply<E>>;
}

export type Method<E extends Endpoint> = (...input: Arguments<E, RequestOptions>) => Answer<E>;
