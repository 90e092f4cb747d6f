import * as z from 'zod/mini';
import type { Environment } from '../contracts/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';
import { countLines, inMannerOf } from './line-endings.ts';
import { isBinary, requireWriteApproval } from './text-file.ts';

/** The manner of a larger file is not worth reading it. */
const LARGEST_EXAMINED = 16 * 1024 * 1024;

export const writeFileTool = defineTool({
  name: 'write_file',
  toolset: 'file',
  emoji: '✍️',
  description:
    'Create a file or replace the whole of one; missing folders are made. {{patch: To change part of a file use patch.}}',
  parameters: z.object({ path: z.string().check(z.minLength(1)), content: z.string() }),
  concurrency: ({ path }) => ({ mode: 'paths', access: 'write', paths: [path] }),
  async run({ path, content }, context) {
    await requireWriteApproval(path, 'write_file', context);
    // Models write plain newlines; a file that had others would change in every line.
    const existing = await existingText(path, context.environment);
    const text = existing === undefined ? content : inMannerOf(existing, content);
    await context.environment.writeFile(path, text);
    const size = `${countLines(text)} lines, ${Buffer.byteLength(text)} bytes`;
    return `${existing === undefined ? 'Created' : 'Replaced'} ${path} (${size}).`;
  },
});

/** What is there now, whose manner is kept; a binary file has none. */
async function existingText(path: string, environment: Environment): Promise<string | undefined> {
  const found = await environment.stat(path);
  if (!found) return undefined;
  if (found.kind !== 'file')
    throw new ToolFailure(
      `${path} is a ${found.kind === 'directory' ? 'folder' : 'device, pipe or socket'}, not a file.`,
    );
  if (found.size > LARGEST_EXAMINED) return '';
  const bytes = await environment.readFile(path);
  return isBinary(bytes) ? '' : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}
