export { type MessageRow, messageToRow, rowToMessage } from './message-row.ts';
export { parseSessionExport } from './session-export-format.ts';
export { sanitiseTitle } from './title.ts';
