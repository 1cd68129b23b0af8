#!/usr/bin/env node
// `npx triptych …` is `npm start` under another name.
import "../../start.mjs";
