/** Our lint rules, loaded by .oxlintrc.json. test/architecture.test.ts plants a violation of each. */
import { imports } from "./imports.mjs";

/** `plain-names`: private words in identifiers and file names. docs/glossary.md has the field's word for each. */
const PRIVATE_WORDS = new Set(
  (
    "askedin asked told kept said heard crew till bones bone enclosure enclosed scene surroundings room rooms errand errands wish wishes " +
    "trouble seat seats edition editions outlook patience handover standing standings holdings leftovers doorway door " +
    "doors shelves shelf lapse forestall forestalled careful sight wanted shown brief tidy bury passage entrance beat lateness"
  ).split(" "),
);
/** Wire and database names in snake_case are contract, and stay. */
const WIRE_NAME = /^[a-z0-9]+(_[a-z0-9]+)+$/;
/** Wire and database names that are single words. */
const CONTRACT_WORDS = new Set(["kept", "seat", "errand", "forestalled"]);

function wordsOf(name) {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[\s_$.-]+/)
    .map((word) => word.toLowerCase());
}

const refusedIn = (name) => wordsOf(name).find((word) => PRIVATE_WORDS.has(word));

const plainNames = {
  create(context) {
    function check(node) {
      if (WIRE_NAME.test(node.name) || CONTRACT_WORDS.has(node.name)) return;
      const word = refusedIn(node.name);
      if (word !== undefined)
        context.report({ node, message: `\`${node.name}\` contains "${word}". Use the word from docs/glossary.md.` });
    }
    return {
      Program(node) {
        const file = context.filename
          .split(/[\\/]/)
          .at(-1)
          .replace(/(\.long)?(\.test)?\.[a-z]+$/, "");
        const word = refusedIn(file);
        if (word !== undefined)
          context.report({ node, message: `The file name contains "${word}". Use the word from docs/glossary.md.` });
      },
      Identifier: check,
      PrivateIdentifier: check,
      JSXIdentifier: check,
    };
  },
};

export default { meta: { name: "triptych" }, rules: { imports, "plain-names": plainNames } };
