export { copySessions, type CopyProgress, type CopyReport } from './copy-sessions.ts';
export { countImport, type ImportTally, newImportTally } from './import-tally.ts';
export { isOriginalExport, readOriginalExport, toOriginalExport } from './original-export.ts';
export { parseSessionExport } from './session-export-format.ts';
export { sanitiseTitle } from './title.ts';
export { isSearchable } from './search-query.ts';
