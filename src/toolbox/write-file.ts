import * as z from 'zod/mini';
import type { FileStat, ToolContext } from '../contracts/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';
import { reportChange } from './changed-file.ts';
import { changedSinceSeen, noteWritten } from './seen-files.ts';
import { isBinary } from './text/encoding.ts';
import { explainFileErrors } from './text/file-errors.ts';
import { countLines, withLineEndingsOf, rejectLineNumbers } from './text/text-lines.ts';
import { rejectSyntaxErrors } from './text/syntax-check.ts';
import { rejectNul, requireWriteApproval, shownPath } from './text-file.ts';

/** Line endings of larger files are not detected, because that would mean reading them. */
const MAX_EXAMINED_SIZE = 16 * 1024 * 1024;

export const writeFileTool = defineTool({
  name: 'write_file',
  toolset: 'file',
  emoji: '✍️',
  asksBefore: 'writing to protected paths or outside the working directory',
  description:
    'Create a file, or replace its whole content. Missing parent directories are created. JSON, YAML and TOML files with syntax errors are rejected. {{patch: To change part of a file, use patch.}}',
  parameters: z.object({
    path: z.string().check(z.minLength(1)),
    content: z.string().check(z.describe('Complete new content of the file.')),
  }),
  concurrency: ({ path }) => ({ mode: 'paths', access: 'write', paths: [path] }),
  run: ({ path, content }, context) => {
    rejectNul(path);
    if (content.includes('\0'))
      throw new ToolFailure(
        'content contains a NUL character, and write_file writes only text. Use a terminal command.',
      );
    rejectLineNumbers('content', content);
    return explainFileErrors(path, 'write', () => writeContent(path, content, context));
  },
});

async function writeContent(path: string, content: string, context: ToolContext): Promise<string> {
  const { environment } = context;
  const existing = await findExisting(path, context);
  // Models write LF. Without this, a CRLF file would change in every line.
  const text = existing?.text === undefined ? content : withLineEndingsOf(existing.text, content);
  await rejectSyntaxErrors(path, text, existing?.text);
  await requireWriteApproval(path, 'write_file', context);
  if (existing?.text === text && text !== '')
    return `${shownPath(path, context)} already has exactly this content; nothing was written.`;
  const stale = existing !== undefined && changedSinceSeen(context, await environment.resolvePath(path), existing.stat);
  await environment.writeFile(path, text);
  await noteWritten(context, path);
  if (existing === undefined || existing.text !== undefined) reportChange(context, path, existing?.text, text);
  const lines = countLines(text);
  const size = `${lines} ${lines === 1 ? 'line' : 'lines'}, ${Buffer.byteLength(text)} bytes`;
  const done = `${existing === undefined ? 'Created' : 'Replaced'} ${shownPath(path, context)} (${size}).`;
  return stale ? `${done}\n${STALE}` : done;
}

const STALE =
  'Warning: another program had changed the file since you last read or wrote it, and this call overwrote those changes. If you did not intend that, recover the changes (git, backups) or ask the user.';

type ExistingFile = {
  stat: FileStat;
  /** The current text, whose line endings are preserved; undefined for a binary or very large file. */
  text: string | undefined;
};

async function findExisting(path: string, { environment }: ToolContext): Promise<ExistingFile | undefined> {
  const stat = await environment.stat(path);
  if (!stat) return undefined;
  if (stat.kind !== 'file') {
    const what = stat.kind === 'directory' ? 'directory' : 'device, pipe or socket';
    throw new ToolFailure(`${path} is a ${what}, not a file. Choose another path.`);
  }
  if (stat.size > MAX_EXAMINED_SIZE) return { stat, text: undefined };
  const bytes = await environment.readFile(path);
  return { stat, text: isBinary(bytes) ? undefined : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) };
}
