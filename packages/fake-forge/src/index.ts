export { startForge, type Dialect, type Forge, type ForgeFault, type ForgeOptions } from "./forge.ts";
