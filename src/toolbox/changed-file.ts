import type { ToolContext } from '../contracts/index.ts';
import { redactForModel } from '../util/index.ts';
import { unifiedDiff } from './patching/line-diff.ts';
import { isBinary } from './text/encoding.ts';

/** More than anybody reads beside a conversation. */
const MAX_LINES = 400;
/** Comparing larger files would hold up the turn. */
const MAX_COMPARED_SIZE = 1024 * 1024;

type Content = string | Uint8Array | undefined;

/** Tells those who watch what became of a file; undefined stands for one that is not there. */
export function announceChange(context: ToolContext, path: string, before: Content, after: Content): void {
  const [old, fresh] = [textOf(before), textOf(after)];
  if (old === undefined || fresh === undefined) return;
  // Without secrets before it is compared: of a key that is cut by a hunk nobody could tell that it is one.
  const { added, removed, diff, omitted } = unifiedDiff(redactForModel(old), redactForModel(fresh), MAX_LINES);
  context.fileChanged({ path, added, removed, diff, ...(omitted > 0 && { omitted }) });
}

/** What cannot be compared line by line has no text. */
function textOf(content: Content): string | undefined {
  if (content === undefined) return '';
  if (content.length > MAX_COMPARED_SIZE) return undefined;
  if (typeof content === 'string') return content;
  return isBinary(content) ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(content);
}
