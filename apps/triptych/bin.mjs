#!/usr/bin/env node
// The command `triptych` of an installed package. In a clone, `npm run triptych -- …` does the same.
import "../../start.mjs";
