/** The part of Swagger UI in use. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  type Component = (props: { readonly source?: string; readonly text?: string }) => unknown;

  export type Plugin = (system: {
    readonly React: {
      createElement(type: string, props: object | null, ...children: readonly unknown[]): unknown;
    };
  }) => { readonly components: Readonly<Record<string, Component>> };

  export default function SwaggerUI(options: {
    readonly spec: object;
    readonly dom_id: string;
    readonly plugins: readonly Plugin[];
    readonly [option: string]: unknown;
  }): void;
}
