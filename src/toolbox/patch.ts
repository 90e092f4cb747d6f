import * as z from 'zod/mini';
import type { ToolContext } from '../contracts/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';
import { announceChange } from './changed-file.ts';
import { pathsInPatch } from './patching/parse-patch.ts';
import { patchFiles } from './patching/patch-files.ts';
import { replaceText } from './patching/replace-text.ts';
import { noteWritten, versionOf } from './seen-files.ts';
import { explainFileErrors } from './text/file-errors.ts';
import { refuseGutter } from './text/text-lines.ts';
import { refuseBrokenSyntax } from './text/syntax-check.ts';
import { type FoundFile, readTextToChange, requireWriteApproval } from './text-file.ts';

const parameters = z.object({
  mode: z._default(z.enum(['replace', 'patch']), 'replace'),
  path: z.optional(z.string()),
  old_string: z.optional(z.string().check(z.describe('exact text; unique, or replace_all'))),
  new_string: z.optional(z.string()),
  replace_all: z._default(z.boolean(), false),
  patch: z.optional(
    z
      .string()
      .check(
        z.describe(
          '*** Begin Patch, then *** Update|Add|Delete File: PATH with @@ hunks of " ", "-", "+" lines (or *** Move File: OLD -> NEW), *** End Patch',
        ),
      ),
  ),
});

export const patchTool = defineTool({
  name: 'patch',
  toolset: 'file',
  emoji: '🔧',
  asksBefore: 'writing to protected places and outside of the working directory',
  description:
    'Change part of a file you have read. replace: old_string becomes new_string in path. patch: several files, all or nothing.',
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
  if (!path || oldString === undefined || newString === undefined) {
    throw new ToolFailure('mode replace needs path, old_string and new_string.');
  }
  refuseGutter('new_string', newString);
  const { text: before, found } = await readTextToChange(path, context, 'patch');
  const { text, edits, lines, note } = replaceText(before, { oldString, newString, replaceAll }, path);
  await refuseBrokenSyntax(path, text, before);
  await requireWriteApproval(path, 'patch', context);
  await explainFileErrors(path, 'write', () => writeUnlessChanged(path, text, found, context));
  await noteWritten(context, path);
  announceChange(context, path, before, text);
  return `Changed ${path}: ${edits === 1 ? '1 place' : `${edits} places`} (line ${lines}).${note}`;
}

/** The files may have changed while the user was deciding. */
async function writeUnlessChanged(path: string, text: string, found: FoundFile, context: ToolContext): Promise<void> {
  const now = await context.environment.stat(path);
  if (!now || versionOf(now) !== versionOf(found))
    throw new ToolFailure(`${path} was changed by someone else meanwhile. Nothing was changed; read it and try again.`);
  await context.environment.writeFile(path, text);
}
