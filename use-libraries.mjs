/** For `node --import`: what starts many processes of ours (tests, campaigns) spares each of them a third of its start. */
import { useLibraries } from "./libraries.mjs";

useLibraries();
