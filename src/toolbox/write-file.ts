import * as z from 'zod/mini';
import type { FileStat, ToolContext } from '../contracts/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';
import { announceChange } from './changed-file.ts';
import { changedSinceSeen, noteWritten } from './seen-files.ts';
import { isBinary } from './text/encoding.ts';
import { explainFileErrors } from './text/file-errors.ts';
import { countLines, inMannerOf, refuseGutter } from './text/text-lines.ts';
import { refuseBrokenSyntax } from './text/syntax-check.ts';
import { refuseNul, requireWriteApproval } from './text-file.ts';

/** The manner of a larger file is not worth reading it. */
const MAX_EXAMINED_SIZE = 16 * 1024 * 1024;

export const writeFileTool = defineTool({
  name: 'write_file',
  toolset: 'file',
  emoji: '✍️',
  asksBefore: 'writing to protected places and outside of the working directory',
  description: 'Create a file or replace all of it; folders are made. {{patch: To change part of a file use patch.}}',
  parameters: z.object({ path: z.string().check(z.minLength(1)), content: z.string() }),
  concurrency: ({ path }) => ({ mode: 'paths', access: 'write', paths: [path] }),
  run: ({ path, content }, context) => {
    refuseNul(path);
    if (content.includes('\0'))
      throw new ToolFailure('content has a NUL character; this tool writes text. Use a command in the terminal.');
    refuseGutter('content', content);
    return explainFileErrors(path, 'write', () => writeContent(path, content, context));
  },
});

async function writeContent(path: string, content: string, context: ToolContext): Promise<string> {
  const { environment } = context;
  const existing = await findExisting(path, context);
  // Models write plain newlines; a file that had others would change in every line.
  const text = existing?.text === undefined ? content : inMannerOf(existing.text, content);
  await refuseBrokenSyntax(path, text, existing?.text);
  await requireWriteApproval(path, 'write_file', context);
  if (existing?.text === text && text !== '') return `${path} has exactly this content already; nothing was written.`;
  const stale = existing !== undefined && changedSinceSeen(context, await environment.resolvePath(path), existing.stat);
  await environment.writeFile(path, text);
  await noteWritten(context, path);
  if (existing === undefined || existing.text !== undefined) announceChange(context, path, existing?.text, text);
  const size = `${countLines(text)} lines, ${Buffer.byteLength(text)} bytes`;
  const done = `${existing === undefined ? 'Created' : 'Replaced'} ${path} (${size}).`;
  return stale ? `${done}\n${STALE}` : done;
}

const STALE =
  'Warning: the file had been changed by someone else since you last read or wrote it here; those changes are replaced now. If that was not meant, look for them (git, backups) or ask.';

type ExistingFile = {
  stat: FileStat;
  /** Whose manner is kept; undefined for a binary or very large file, which has none. */
  text: string | undefined;
};

async function findExisting(path: string, { environment }: ToolContext): Promise<ExistingFile | undefined> {
  const stat = await environment.stat(path);
  if (!stat) return undefined;
  if (stat.kind !== 'file') {
    const what = stat.kind === 'directory' ? 'folder' : 'device, pipe or socket';
    throw new ToolFailure(`${path} is a ${what}, not a file. Choose another path.`);
  }
  if (stat.size > MAX_EXAMINED_SIZE) return { stat, text: undefined };
  const bytes = await environment.readFile(path);
  return { stat, text: isBinary(bytes) ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) };
}
