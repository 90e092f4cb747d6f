import { type AttachedFile, type Attachment, ATTACHMENT_LIMITS } from '../../base/index.ts';
import type { PreparedCall, ToolOutcome } from '../../contracts/index.ts';
import type { Turn } from '../turn.ts';
import { describeUnreadable } from './describe-attachments.ts';
import { storeFiles } from './store-files.ts';

/** The attachments of a tool result, and a note for the model about files that exceed the limits. */
export type ResultAttachments = { attachments: Attachment[]; note: string };

/**
 * Stores the files of a tool result as blobs. They are described before the result is stored if the current route
 * cannot read them, so that every request with this result is identical.
 */
export async function attachToResult(
  turn: Turn,
  { call }: PreparedCall,
  { attachments: files = [] }: ToolOutcome,
): Promise<ResultAttachments> {
  const fitting = filesWithinLimits(files);
  const note = fitting.length === files.length ? '' : `\n\n${tooManyNote(files.length - fitting.length)}`;
  if (fitting.length === 0) return { attachments: [], note };
  const { session, options, signal } = turn;
  const stored = await storeFiles(options.store, session.id, fitting);
  if (signal.aborted) return { attachments: stored, note };
  try {
    return { attachments: await describeUnreadable(turn, stored, { toolName: call.name }), note };
  } catch (thrown) {
    // The turn was interrupted. The result is stored anyway, because the tool has run.
    if (signal.aborted) return { attachments: stored, note };
    throw thrown;
  }
}

/** The first files that fit into one request. */
function filesWithinLimits(files: readonly AttachedFile[]): AttachedFile[] {
  const { bytes, count } = ATTACHMENT_LIMITS;
  let left: number = bytes;
  const fitting = files.filter((file) => {
    if (file.bytes.byteLength > left) return false;
    left -= file.bytes.byteLength;
    return true;
  });
  return fitting.slice(0, count);
}

function tooManyNote(omitted: number): string {
  const { bytes, count } = ATTACHMENT_LIMITS;
  const what = omitted === 1 ? '1 image was' : `${omitted} images were`;
  return `[${what} not attached: a result can have at most ${count} images with ${bytes / 1_000_000} MB in total.]`;
}
