/**
 * Allows what MapLibre passes to the browser as markup or script address: the text of its scale, and its worker. Everything
 * else is refused, as on pages without a policy.
 */
const SCALE = /^[\d.]+&nbsp;[a-z]+$/;
const WORKER = /^\/carte\/assets\/map-worker-[\w-]+\.js$/;

interface PolicyFactory {
  createPolicy(name: "default", rules: Readonly<Record<string, (text: string) => string | null>>): unknown;
}

const { trustedTypes } = globalThis as { readonly trustedTypes?: PolicyFactory };
trustedTypes?.createPolicy("default", {
  createHTML: (text) => (SCALE.test(text) ? text : null),
  createScriptURL: (address) => {
    const { origin, pathname } = new URL(address, location.href);
    return origin === location.origin && WORKER.test(pathname) ? address : null;
  },
});
