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
import { type FoundFile, readTextToChange, requireWriteApproval, shownPath } from './text-file.ts';

const PATCH_FORMAT = `Several edits, e.g.:
*** Begin Patch
*** Update File: src/a.ts
@@
 context line
-old line
+new line
*** Add File: src/b.ts
+content
*** End Patch
Also *** Delete File: PATH and *** Move File: OLD -> NEW. If the lines of a hunk occur more than once in the file, write part of an earlier line after @@, e.g. @@ class A: the first occurrence after that line is changed. Do not put line numbers after @@.`;

const replacement = { old_string: z.string(), new_string: z.string(), replace_all: z._default(z.boolean(), false) };

const parameters = z.object({
  path: z.optional(z.string()),
  old_string: z.optional(
    z
      .string()
      .check(
        z.describe(
          'Text to replace, copied exactly with its indentation. Must occur exactly once unless replace_all is set.',
        ),
      ),
  ),
  new_string: z.optional(z.string()),
  replace_all: z._default(z.boolean().check(z.describe('Replace every occurrence.')), false),
  patch: z.optional(z.string().check(z.describe(PATCH_FORMAT))),
  // Parameters of other agents, accepted but not shown. The kind of edit follows from the other arguments.
  mode: z.optional(z.string().check(z.meta({ hidden: true }))),
  edits: z.optional(z.array(z.object(replacement)).check(z.minLength(1), z.meta({ hidden: true }))),
});
type PatchArguments = z.output<typeof parameters>;

export const patchTool = defineTool({
  name: 'patch',
  toolset: 'file',
  emoji: '🔧',
  asksBefore: 'writing to protected paths or outside the working directory',
  description:
    'Edit files. Read a file before you edit it. For one edit, pass path, old_string and new_string. For several edits in one or more files, pass only `patch`; the edits are applied atomically (all or none). {{read_file: Omit the N| prefix that read_file adds to lines.}} Edits that would leave a JSON, YAML or TOML file with a syntax error are rejected.',
  parameters,
  concurrency: (args) => ({
    mode: 'paths',
    access: 'write',
    // The paths of a patch are in its headers.
    paths: isPatch(args) ? pathsInPatch(patchOf(args)) : [args.path ?? '.'],
  }),
  run: (args, context) => (isPatch(args) ? patchFiles(patchOf(args), context) : replaceInFile(args, context)),
});

function isPatch({ patch, old_string: oldString, edits }: PatchArguments): boolean {
  return patch !== undefined && oldString === undefined && edits === undefined;
}

/** Hunks without a file header belong to `path`. */
function patchOf({ patch = '', path }: PatchArguments): string {
  const hasHeader = /^(?:\*\*\* \w+ File: |--- )/m.test(patch);
  return hasHeader || path === undefined
    ? patch
    : `*** Update File: ${path}\n${patch.replace(/^\*\*\* (?:Begin|End) Patch\s*$/gm, '')}`;
}

/** Finds the text before asking for approval, so that the user never approves a change that then fails. */
async function replaceInFile(args: PatchArguments, context: ToolContext): Promise<string> {
  const { path } = args;
  const edits = replacementsIn(args);
  if (!path || edits.length === 0) {
    throw new ToolFailure('Pass path, old_string and new_string for one edit, or patch for several edits.');
  }
  for (const { newString } of edits) rejectLineNumbers('new_string', newString);
  const { text: before, found } = await readTextToChange(path, context, 'patch');
  let [text, count, notes] = [before, 0, ''];
  const lines: string[] = [];
  for (const [index, edit] of edits.entries()) {
    const replaced = namingEdit(index, edits.length, () => replaceText(text, edit, path));
    text = replaced.text;
    count += replaced.edits;
    notes += replaced.note;
    lines.push(replaced.lines);
  }
  await rejectSyntaxErrors(path, text, before);
  await requireWriteApproval(path, 'patch', context);
  await explainFileErrors(path, 'write', () => writeUnlessChanged(path, text, found, context));
  await noteWritten(context, path);
  reportChange(context, path, before, text);
  return `Changed ${shownPath(path, context)}: ${count === 1 ? '1 replacement' : `${count} replacements`} (line ${lines.join(', ')}).${notes}`;
}

/** Says which of several edits failed. */
function namingEdit<T>(index: number, count: number, replace: () => T): T {
  try {
    return replace();
  } catch (thrown) {
    if (count === 1 || !(thrown instanceof ToolFailure)) throw thrown;
    throw new ToolFailure(`Edit ${index + 1} of ${count}: ${thrown.message}`);
  }
}

function replacementsIn({
  edits,
  old_string: oldString,
  new_string: newString,
  replace_all: replaceAll,
}: PatchArguments) {
  if (edits === undefined)
    return oldString === undefined || newString === undefined ? [] : [{ oldString, newString, replaceAll }];
  return edits.map((edit) => ({
    oldString: edit.old_string,
    newString: edit.new_string,
    replaceAll: edit.replace_all,
  }));
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
