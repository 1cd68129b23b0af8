export { notifyCommand, type NotifyContext } from "./command.ts";
