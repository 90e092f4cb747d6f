export { parseSessionExport } from './session-export-format.ts';
export { sanitiseTitle } from './title.ts';
