import type { ToolContext } from '../contracts/index.ts';
import { redactForModel } from '../util/index.ts';
import { unifiedDiff } from './patching/line-diff.ts';
import { isBinary } from './text/encoding.ts';

/** Longer diffs are truncated in the display. */
const MAX_LINES = 400;
/** Larger files are not compared, because that would delay the turn. */
const MAX_COMPARED_SIZE = 1024 * 1024;

type Content = string | Uint8Array | undefined;

/** Reports the diff of a changed file to the surfaces. Pass undefined for a file that does not exist. */
export function reportChange(context: ToolContext, path: string, before: Content, after: Content): void {
  const [old, fresh] = [textOf(before), textOf(after)];
  if (old === undefined || fresh === undefined) return;
  // Secrets are redacted before the comparison: a key that is split by a hunk could not be recognised.
  const { added, removed, diff, omitted } = unifiedDiff(redactForModel(old), redactForModel(fresh), MAX_LINES);
  context.fileChanged({ path, added, removed, diff, ...(omitted > 0 && { omitted }) });
}

/** The text to compare; undefined for binary and very large content. */
function textOf(content: Content): string | undefined {
  if (content === undefined) return '';
  if (content.length > MAX_COMPARED_SIZE) return undefined;
  if (typeof content === 'string') return content;
  return isBinary(content) ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);
}
