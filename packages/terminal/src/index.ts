export { addYesOption, confirmOrRefuse } from "./prompt.ts";
export { addJsonOption, printResult, widthOf, type Output } from "./output.ts";
export { readHiddenLine, readLine, readSecret } from "./prompt.ts";
export { clip, clipStart, pad, renderTable, textWidth, timeText, wrapText, type TextTable } from "./text-table.ts";
