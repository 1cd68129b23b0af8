export { filename } from "./filename.js";
export { foldMarks, stripMarks } from "./marks.js";
export { slug } from "./slug.js";
export { transliterate } from "./transliterate.js";
