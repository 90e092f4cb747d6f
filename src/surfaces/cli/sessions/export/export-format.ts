import { extname } from 'node:path';

export const EXPORT_FORMATS = ['jsonl', 'markdown', 'html', 'trajectory'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const BY_ENDING: ReadonlyMap<string, ExportFormat> = new Map([
  ['.md', 'markdown'],
  ['.markdown', 'markdown'],
  ['.html', 'html'],
  ['.htm', 'html'],
]);

/** What was asked for, else what the name of the file says. Lines are the form that can be taken in again. */
export function chooseFormat(target: string, wanted?: ExportFormat): ExportFormat {
  return wanted ?? BY_ENDING.get(extname(target).toLowerCase()) ?? 'jsonl';
}
