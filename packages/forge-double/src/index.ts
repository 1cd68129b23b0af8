export { startForge, type Forge, type ForgeFault, type ForgeOptions } from "./forge.ts";
