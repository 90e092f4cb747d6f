import * as z from 'zod/mini';
import type { ToolContext } from '../contracts/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';
import { pathsInPatch } from './parse-patch.ts';
import { patchFiles } from './patch-files.ts';
import { replaceText } from './replace-text.ts';
import { readTextToChange, requireWriteApproval } from './text-file.ts';

const parameters = z.object({
  mode: z._default(z.enum(['replace', 'patch']), 'replace'),
  path: z.optional(z.string()),
  old_string: z.optional(z.string().check(z.describe('exact text, with enough lines around it to be unique'))),
  new_string: z.optional(z.string()),
  replace_all: z._default(z.boolean(), false),
  patch: z.optional(
    z
      .string()
      .check(
        z.describe(
          '*** Begin Patch, then *** Update|Add|Delete File: PATH with @@ hunks of " ", "-", "+" lines, *** End Patch',
        ),
      ),
  ),
});

export const patchTool = defineTool({
  name: 'patch',
  toolset: 'file',
  emoji: '🔧',
  description:
    'Change part of a file. replace: old_string becomes new_string in path. patch: one patch over several files, all or nothing. Read the file first. {{write_file: For a new or wholly rewritten file use write_file.}}',
  parameters,
  concurrency: ({ mode, path, patch }) => ({
    mode: 'paths',
    access: 'write',
    // What a patch touches stands in its headers, not in `path`.
    paths: mode === 'patch' ? pathsInPatch(patch ?? '') : [path ?? '.'],
  }),
  async run(args, context) {
    if (args.mode === 'replace') return replaceInFile(args, context);
    if (args.patch === undefined) throw new ToolFailure('mode patch needs the parameter patch.');
    return patchFiles(args.patch, context);
  },
});

/** The match is made before anyone is asked: nobody should approve what then fails. */
async function replaceInFile(args: z.output<typeof parameters>, context: ToolContext): Promise<string> {
  const { path, old_string: oldString, new_string: newString, replace_all: replaceAll } = args;
  if (path === undefined || oldString === undefined || newString === undefined) {
    throw new ToolFailure('mode replace needs path, old_string and new_string.');
  }
  const before = await readTextToChange(path, context.environment);
  const { text, edits, lines } = replaceText(before, { oldString, newString, replaceAll }, path);
  await requireWriteApproval(path, 'patch', context);
  await context.environment.writeFile(path, text);
  return `Changed ${path}: ${edits === 1 ? '1 place' : `${edits} places`} (line ${lines}).`;
}
