import * as z from 'zod/mini';
import type { ToolContext } from '../contracts/index.ts';
import { defineTool, ToolFailure } from '../tools/index.ts';
import { reportChange } from './changed-file.ts';
import { pathsInPatch } from './patching/parse-patch.ts';
import { patchFiles } from './patching/patch-files.ts';
import { replaceText } from './patching/replace-text.ts';
import { noteWritten, versionOf } from './seen-files.ts';
import { explainFileErrors } from './text/file-errors.ts';
import { rejectLineNumbers } from './text/text-lines.ts';
import { rejectSyntaxErrors } from './text/syntax-check.ts';
import { type FoundFile, readTextToChange, requireWriteApproval } from './text-file.ts';

const PATCH_FORMAT = `mode patch, e.g.:
*** Begin Patch
*** Update File: src/a.ts
@@
 context line
-old line
+new line
*** Add File: src/b.ts
+content
*** End Patch
Also *** Delete File: PATH and *** Move File: OLD -> NEW. @@ may be followed by a line above the hunk, e.g. @@ class A. No line numbers, no ---/+++ headers.`;

const parameters = z.object({
  mode: z._default(z.enum(['replace', 'patch']), 'replace'),
  path: z.optional(z.string().check(z.describe('mode replace: the file.'))),
  old_string: z.optional(
    z
      .string()
      .check(
        z.describe('Text to replace, copied exactly with its indentation. Must occur once unless replace_all is set.'),
      ),
  ),
  new_string: z.optional(z.string()),
  replace_all: z._default(z.boolean().check(z.describe('Replace every occurrence.')), false),
  patch: z.optional(z.string().check(z.describe(PATCH_FORMAT))),
});

export const patchTool = defineTool({
  name: 'patch',
  toolset: 'file',
  emoji: '🔧',
  asksBefore: 'writing to protected paths or outside the working directory',
  description:
    'Edit files that you have read. mode replace (default): replace old_string with new_string in path. mode patch: several edits in one or more files, applied all or none; give only mode and patch. Do not include the N| prefix of line numbers. JSON, YAML and TOML with syntax errors are rejected.',
  parameters,
  concurrency: ({ mode, path, patch }) => ({
    mode: 'paths',
    access: 'write',
    // In mode patch, the paths are in the headers of the patch.
    paths: mode === 'patch' ? pathsInPatch(patch ?? '') : [path ?? '.'],
  }),
  async run(args, context) {
    if (args.mode === 'replace') return replaceInFile(args, context);
    if (args.patch === undefined) throw new ToolFailure('mode patch requires the parameter patch.');
    return patchFiles(args.patch, context);
  },
});

/** Matches before it asks for approval, so that the user never approves a change that then fails. */
async function replaceInFile(args: z.output<typeof parameters>, context: ToolContext): Promise<string> {
  const { path, old_string: oldString, new_string: newString, replace_all: replaceAll } = args;
  if (!path || oldString === undefined || newString === undefined) {
    throw new ToolFailure('mode replace requires path, old_string and new_string.');
  }
  rejectLineNumbers('new_string', newString);
  const { text: before, found } = await readTextToChange(path, context, 'patch');
  const { text, edits, lines, note } = replaceText(before, { oldString, newString, replaceAll }, path);
  await rejectSyntaxErrors(path, text, before);
  await requireWriteApproval(path, 'patch', context);
  await explainFileErrors(path, 'write', () => writeUnlessChanged(path, text, found, context));
  await noteWritten(context, path);
  reportChange(context, path, before, text);
  return `Changed ${path}: ${edits === 1 ? '1 replacement' : `${edits} replacements`} (line ${lines}).${note}`;
}

/** The files may have changed while the user was deciding. */
async function writeUnlessChanged(path: string, text: string, found: FoundFile, context: ToolContext): Promise<void> {
  const now = await context.environment.stat(path);
  if (!now || versionOf(now) !== versionOf(found))
    throw new ToolFailure(
      `${path} was changed by another program in the meantime. Nothing was changed; read the file and try again.`,
    );
  await context.environment.writeFile(path, text);
}
