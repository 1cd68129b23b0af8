export { addYesOption, confirmOrRefuse } from "./confirm.ts";
export { addJsonOption, printResult, type Output } from "./output.ts";
export { readHiddenLine, readLine, readSecret } from "./prompt.ts";
export { clip, renderTable, timeText, type TextTable } from "./text-table.ts";
