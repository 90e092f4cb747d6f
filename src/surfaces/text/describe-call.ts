import { isJsonObject, type JsonObject, parseJson } from '../../base/index.ts';
import { counted } from './counted.ts';

/** The arguments that describe a call of an unknown tool best, in order of preference. */
const PREVIEW_ARGUMENTS = [
  'command',
  'path',
  'pattern',
  'query',
  'url',
  'question',
  'name',
  'action',
  'goal',
  'prompt',
  'code',
  'text',
];

/** The previews of tools for which a single argument is not enough. */
const PREVIEWS = new Map<string, (args: JsonObject) => string>(
  Object.entries({
    read_file: (args: JsonObject) => `${filesOf(args)}${linesOf(args)}`,
    search_files: (args: JsonObject) => joined(textOf(args, 'pattern'), 'in', textOf(args, 'path')),
    patch: (args: JsonObject) => textOf(args, 'path') || filesInPatch(textOf(args, 'patch')),
    process: (args: JsonObject) => [textOf(args, 'action'), textOf(args, 'session_id')].filter(Boolean).join(' '),
    memory: (args: JsonObject) => joined(textOf(args, 'action'), 'in', textOf(args, 'target')),
    skill_manage: (args: JsonObject) => [textOf(args, 'action'), textOf(args, 'name')].filter(Boolean).join(' '),
    delegate_task: (args: JsonObject) => (Array.isArray(args['tasks']) ? counted(args['tasks'].length, 'task') : ''),
    web_extract: ({ urls }: JsonObject) =>
      Array.isArray(urls) ? urls.filter((url) => typeof url === 'string').join(', ') : '',
    vision_analyze: (args: JsonObject) => textOf(args, 'image_url'),
    todo: (args: JsonObject) => (Array.isArray(args['todos']) ? counted(args['todos'].length, 'item') : ''),
  }),
);

/** Describes a call in a few words, such as its command or path. The text is not escaped for a terminal or a chat. */
export function describeCall(name: string, text: string): string {
  const args = parseJson(text);
  if (!isJsonObject(args)) return '';
  const own = PREVIEWS.get(name)?.(args);
  if (own !== undefined && own !== '') return own;
  const preferred = PREVIEW_ARGUMENTS.map((key) => textOf(args, key)).find((value) => value !== '');
  // Other tools may use any argument names, so the first text argument is used.
  return (
    preferred ??
    Object.keys(args)
      .map((key) => textOf(args, key))
      .find((value) => value !== '') ??
    ''
  );
}

function textOf(args: JsonObject, key: string): string {
  const value = args[key];
  return typeof value === 'string' ? value : '';
}

/** Formats the line range of a file: `:10-49`. */
function linesOf({ offset, limit }: JsonObject): string {
  if (typeof offset !== 'number' && typeof limit !== 'number') return '';
  const first = typeof offset === 'number' ? offset : 1;
  return typeof limit === 'number' ? `:${first}-${first + limit - 1}` : `:${first}-`;
}

function joined(first: string, word: string, second: string): string {
  return first !== '' && second !== '' ? `${first} ${word} ${second}` : first;
}

function filesOf({ path }: JsonObject): string {
  return listed([path ?? ''].flat().filter((each) => typeof each === 'string'));
}

function filesInPatch(patch: string): string {
  return listed([...patch.matchAll(/^\*\*\* (?:Update|Add|Delete|Move) File: (.+)$/gm)].map((match) => match[1] ?? ''));
}

function listed(files: readonly string[]): string {
  return files.length > 3 ? `${files.slice(0, 2).join(', ')} and ${files.length - 2} more` : files.join(', ');
}
