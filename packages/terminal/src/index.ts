export { addYesOption, confirmOrRefuse } from "./prompt.ts";
export { addJsonOption, clearStep, print, printResult, showStep, widthOf, type Output } from "./output.ts";
export { readHiddenLine, readLine, readSecret } from "./prompt.ts";
export { clip, clipStart, pad, renderTable, textWidth, timeText, wrapText, type TextTable } from "./text-table.ts";
