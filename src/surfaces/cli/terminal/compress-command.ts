import type { CompressOptions } from '../../../agent/index.ts';
import type { CompressionReport } from '../../../base/index.ts';
import { describeSaving, describeSummary } from '../output/describe-compression.ts';

const PREVIEW = /^--preview(?:\s+|$)/;

/** `/compress`, `/compress TOPIC` and `/compress --preview`. */
export function parseCompress(argument: string): Pick<CompressOptions, 'topic' | 'previewOnly'> {
  const topic = argument.replace(PREVIEW, '').trim();
  return {
    ...(topic === '' ? {} : { topic }),
    ...(PREVIEW.test(argument) ? { previewOnly: true } : {}),
  };
}

/** What is to be said about it afterwards. */
export function formatCompression(report: CompressionReport | 'stopped' | undefined, previewOnly = false): string {
  if (report === 'stopped') return 'Stopped; the conversation is as it was.\n';
  if (report === undefined)
    return 'There is nothing to compress: all of the conversation is among what is always kept.\n';
  const saving = describeSaving(report);
  if (previewOnly) return `It would be ${saving}. Nothing was changed; /compress does it.\n`;
  const summary = describeSummary(report);
  const where = `The conversation goes on as session ${report.sessionId}; what was said before stays and can be searched.`;
  return `Compressed: ${saving}${summary === '' ? '' : `; ${summary}`}.\n${where}\n`;
}
