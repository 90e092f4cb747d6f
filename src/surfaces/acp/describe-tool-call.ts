import type { Diff, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { type ChangedFile, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../base/index.ts';
import { takeStart } from '../../util/index.ts';
import { describeCall } from '../text/describe-call.ts';

/** A tool call in the words of the protocol, as it is announced. */
export type DescribedCall = {
  title: string;
  kind: ToolKind;
  locations: ToolCallLocation[];
  content: ToolCallContent[];
  rawInput: JsonValue;
};

const KINDS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ['read_file', 'read'],
  ['vision_analyze', 'read'],
  ['skill_view', 'read'],
  ['context_expand', 'read'],
  ['write_file', 'edit'],
  ['patch', 'edit'],
  ['search_files', 'search'],
  ['session_search', 'search'],
  ['context_search', 'search'],
  ['tool_search', 'search'],
  ['terminal', 'execute'],
  ['process', 'execute'],
  ['execute_code', 'execute'],
  ['web_search', 'fetch'],
  ['web_extract', 'fetch'],
  ['todo', 'think'],
  ['memory', 'think'],
  ['clarify', 'think'],
]);

/** The verbs of tools whose name says less. */
const VERBS: ReadonlyMap<string, string> = new Map([
  ['read_file', 'Read'],
  ['write_file', 'Write'],
  ['patch', 'Edit'],
  ['search_files', 'Search for'],
  ['web_search', 'Search the web for'],
  ['web_extract', 'Fetch'],
  ['delegate_task', 'Delegate'],
  ['clarify', 'Ask'],
  ['todo', 'Update the task list:'],
]);

const MAX_TITLE_LENGTH = 200;

/** Describes a call by what the model wrote. `workingDirectory` is where relative paths start. */
export function describeToolCall(name: string, written: string, workingDirectory: string): DescribedCall {
  const args = parseJson(written);
  const given = isJsonObject(args) ? args : {};
  return {
    title: titleOf(name, written),
    kind: kindOf(name),
    locations: locationsOf(name, given, workingDirectory),
    content: proposedChanges(name, given, workingDirectory),
    rawInput: args ?? written,
  };
}

function kindOf(name: string): ToolKind {
  return KINDS.get(name) ?? (name.startsWith('browser_') ? 'fetch' : 'other');
}

function titleOf(name: string, written: string): string {
  const about = describeCall(name, written).replace(/\s+/g, ' ').trim();
  const verb = VERBS.get(name);
  const title = name === 'terminal' && about !== '' ? about : [verb ?? name, about].filter(Boolean).join(' ');
  return takeStart(title, MAX_TITLE_LENGTH);
}

function locationsOf(name: string, args: JsonObject, workingDirectory: string): ToolCallLocation[] {
  const { path, offset, patch } = args;
  const known = kindOf(name);
  if (known !== 'read' && known !== 'edit' && name !== 'search_files') return [];
  if (typeof path === 'string' && path !== '') {
    const location: ToolCallLocation = { path: absolute(path, workingDirectory) };
    if (typeof offset === 'number' && Number.isSafeInteger(offset) && offset > 0) location.line = offset;
    return [location];
  }
  if (Array.isArray(path)) {
    return path.filter((each) => typeof each === 'string').map((each) => ({ path: absolute(each, workingDirectory) }));
  }
  return typeof patch === 'string' ? pathsIn(patch).map((file) => ({ path: absolute(file, workingDirectory) })) : [];
}

function absolute(path: string, workingDirectory: string): string {
  return resolve(workingDirectory, path.replace(/^~(?=\/|$)/, homedir()));
}

function pathsIn(patch: string): string[] {
  return [...patch.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.+)$/gm)].map(([, path = '']) => path.trim());
}

/** What a call is about to change, as far as its arguments say so. */
function proposedChanges(name: string, args: JsonObject, workingDirectory: string): FileDiff[] {
  const { path, content, old_string: before, new_string: after } = args;
  if (typeof path !== 'string' || path === '') return [];
  const file = absolute(path, workingDirectory);
  if (name === 'write_file' && typeof content === 'string') return [diff(file, null, content)];
  if (name === 'patch' && typeof before === 'string' && typeof after === 'string') return [diff(file, before, after)];
  return [];
}

type FileDiff = Diff & { type: 'diff' };

function diff(path: string, oldText: string | null, newText: string): FileDiff {
  return { type: 'diff', path, oldText, newText };
}

/** What a call has changed: one entry per hunk, and where the hunks are. */
export function describeChanges(
  changes: readonly ChangedFile[],
  workingDirectory: string,
): { content: ToolCallContent[]; locations: ToolCallLocation[] } {
  const content: ToolCallContent[] = [];
  const locations: ToolCallLocation[] = [];
  for (const change of changes) {
    const path = absolute(change.path, workingDirectory);
    const hunks = readHunks(change.diff);
    content.push(...hunks.map(({ before, after }) => diff(path, before, after)));
    if (change.omitted !== undefined) content.push(text(`${change.omitted} more lines of ${path} changed.`));
    const line = hunks[0]?.line;
    locations.push(line === undefined ? { path } : { path, line });
  }
  return { content, locations };
}

/** `before` is null in a new file. */
type Hunk = { line: number; before: string | null; after: string };

function readHunks(unified: string): Hunk[] {
  return unified
    .split(/^(?=@@ -\d)/m)
    .filter((part) => part.startsWith('@@'))
    .map((part) => {
      const [header = '', ...lines] = part.split('\n').slice(0, -1);
      const [, oldStart, newStart] = /^@@ -(\d+),\d+ \+(\d+)/.exec(header) ?? [];
      const side = (other: string) =>
        lines
          .filter((line) => !line.startsWith(other))
          .map((line) => `${line.slice(1)}\n`)
          .join('');
      return {
        // The first changed line; those before it are context.
        line: Math.max(
          1,
          Number(newStart ?? 1) +
            Math.max(
              0,
              lines.findIndex((line) => !line.startsWith(' ')),
            ),
        ),
        before: oldStart === '0' ? null : side('+'),
        after: side('-'),
      };
    });
}

/** A result, in a code block, because editors show text as Markdown. */
export function describeResult(result: string): ToolCallContent[] {
  return result.trim() === '' ? [] : [text(fenced(result))];
}

export function text(content: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text: content } };
}

/** A code block whose fence does not occur in the text. */
export function fenced(content: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, ...[...content.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}${language}\n${content.replace(/\n$/, '')}\n${fence}`;
}
