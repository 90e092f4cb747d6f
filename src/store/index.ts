export { type MessageRow, messageToRow, rowToMessage } from './message-row.ts';
export { sanitiseTitle } from './title.ts';
