import { posix } from 'node:path';
import { isJsonObject, type Message, parseJson, type ToolMessage } from '../base/index.ts';
import { splitSteering } from './prune.ts';

/** How results of file tools refer to an earlier result instead of repeating its text. */
const REFERENCE = /\b(?:Use the earlier result|This is the diff to the earlier result)\b/;
/** What such a result says behind the path of a file: it contains nothing of the file, or only a difference. */
const UNCHANGED = ' has not changed since';
const CHANGED = ' has changed. This is the diff';
const NOTE = '[The earlier result was omitted to save context. Read the file again if you need its text.]';

/** A result of a file tool: the lines that it shows, of these paths. */
type FileView = { index: number; message: ToolMessage; range: string; named: readonly string[] };

/**
 * The indexes of results that refer to an earlier result which is no longer complete. `isKept` tells whether a message
 * stays as the model saw it.
 */
export function findLostReferences(
  messages: readonly Message[],
  isKept: (index: number) => boolean,
): ReadonlySet<number> {
  const views = viewsOf(messages);
  const lost = views.filter((view, position) => {
    const { content } = view.message;
    if (!REFERENCE.test(content) || content.includes(NOTE)) return false;
    const alike = views.slice(0, position).filter(({ range }) => range === view.range);
    const referred = view.named.filter((path) => says(view, [path], [UNCHANGED, CHANGED]));
    return referred.some((path) => {
      const sources = sourcesOf(path, alike.toReversed());
      return sources.length === 0 || !sources.every(({ index }) => isKept(index));
    });
  });
  return new Set(lost.map(({ index }) => index));
}

/** Adds the note that the earlier result is gone, before what the user said in this result. */
export function noteLostReference(message: ToolMessage): ToolMessage {
  const { output, words } = splitSteering(message.content);
  return { ...message, content: `${output}\n\n${NOTE}${words}` };
}

/** The newest result that shows a file completely, and the differences to it that were shown since. `alike`: newest first. */
function sourcesOf(path: string, alike: readonly FileView[]): FileView[] {
  const showing = (idOf: (name: string) => string) =>
    alike.flatMap((each) => {
      const names = each.named.filter((name) => idOf(name) === idOf(path));
      return names.length === 0 ? [] : [{ each, names }];
    });
  const same = showing((name) => posix.normalize(name));
  const sources: FileView[] = [];
  // A file can be named in several ways, for example relative to another directory.
  for (const { each, names } of same.length > 0 ? same : showing((name) => posix.basename(name))) {
    if (!says(each, names, [UNCHANGED])) sources.push(each);
    if (!says(each, names, [UNCHANGED, CHANGED])) break;
  }
  return sources;
}

/** Whether a result says one of these things about one of these files. */
function says({ message }: FileView, paths: readonly string[], phrases: readonly string[]): boolean {
  return paths.some((path) => phrases.some((phrase) => message.content.includes(`${posix.basename(path)}${phrase}`)));
}

function viewsOf(messages: readonly Message[]): FileView[] {
  const calls = new Map<string, string>();
  return messages.flatMap((message, index): FileView[] => {
    if (message.role === 'assistant')
      for (const { id, arguments: text } of message.toolCalls ?? []) calls.set(id, text);
    if (message.role !== 'tool') return [];
    const args = parseJson(calls.get(message.toolCallId) ?? '');
    if (!isJsonObject(args)) return [];
    const { path, offset, limit, column } = args;
    const named = [path].flat().filter((each) => typeof each === 'string');
    if (named.length === 0) return [];
    return [{ index, message, range: JSON.stringify([message.toolName, offset, limit, column]), named }];
  });
}
