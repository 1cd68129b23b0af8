/** `/carte`: headers of the map, which `apps/web` builds. */
import { CONTENT_SECURITY_POLICY } from "@triptych/server";
import type { MapTiles } from "./map-background.ts";

/**
 * The policy of every page, and a worker of our own origin. MapLibre sets the text of its scale as markup and starts
 * its worker by URL: the page's default Trusted Types policy allows exactly these. Tiles open one origin.
 */
export function mapHeaders(tiles: MapTiles | null): Readonly<Record<string, string>> {
  const origin = tiles === null ? "" : ` ${new URL(tiles.url).origin}`;
  const policy = CONTENT_SECURITY_POLICY.replace("img-src 'self' data:", `img-src 'self' data:${origin}`)
    .replace("connect-src 'self'", `connect-src 'self'${origin}; worker-src 'self'`)
    .replace("trusted-types 'none'", "trusted-types default");
  return {
    "Content-Security-Policy": policy,
    "Permissions-Policy": "camera=(), geolocation=(self), microphone=()",
  };
}
