import type { CompressOptions } from '../../../agent/index.ts';
import { describeSaving, describeSummary } from '../../text/describe-compression.ts';
import type { Compressed, SlashContext } from '../slash-context.ts';

const PREVIEW = /^--preview(?:\s+|$)/;

/** `/compress`, `/compress TOPIC` and `/compress --preview`. */
export async function compressCommand({ session, style, print }: SlashContext, argument: string): Promise<void> {
  const request = parseCompress(argument);
  if (!request.previewOnly) print(style.dim('Compressing…\n'));
  const report = await session.compress(request);
  if (report !== 'held') print(formatCompression(report, request.previewOnly));
}

function parseCompress(argument: string): Pick<CompressOptions, 'topic' | 'previewOnly'> {
  const topic = argument.replace(PREVIEW, '').trim();
  return {
    ...(topic === '' ? {} : { topic }),
    ...(PREVIEW.test(argument) ? { previewOnly: true } : {}),
  };
}

/** What is to be said about it afterwards. */
function formatCompression(report: Exclude<Compressed, 'held'>, previewOnly = false): string {
  if (report === 'stopped') return 'Stopped; the conversation is as it was.\n';
  if (report === undefined)
    return 'There is nothing to compress: all of the conversation is among what is always kept.\n';
  const saving = describeSaving(report);
  if (previewOnly) return `It would be ${saving}. Nothing was changed; /compress does it.\n`;
  const summary = describeSummary(report);
  const where = `The conversation goes on as session ${report.sessionId}; what was said before stays and can be searched.`;
  return `Compressed: ${saving}${summary === '' ? '' : `; ${summary}`}.\n${where}\n`;
}
