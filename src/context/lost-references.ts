import { posix } from 'node:path';
import { isJsonObject, type Message, ownBlock, parseJson, type ToolMessage } from '../base/index.ts';

/** How results of file tools refer to an earlier result instead of repeating its text. */
const REFERENCE = /\b(?:Use the earlier result|This is the diff to the earlier result)\b/;
/** A reference that contains nothing of the file itself. */
const UNCHANGED = /\bUse the earlier result\./;
const NOTE = '[The earlier result was omitted to save context. Read the file again if you need its text.]';

/** A result of a file tool: the lines that it shows, of these paths. */
type FileView = { index: number; message: ToolMessage; range: string; paths: readonly string[] };

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
    const sources = sourcesOf(view, views.slice(0, position));
    return sources.length === 0 || !sources.every(({ index }) => isKept(index));
  });
  return new Set(lost.map(({ index }) => index));
}

/** Adds the note that the earlier result is gone, before what the user said in this result. */
export function noteLostReference(message: ToolMessage): ToolMessage {
  const said = ownBlock('steering').lastText(message.content);
  const words = said === undefined ? '' : ownBlock('steering').write(said);
  const output = message.content.slice(0, message.content.length - words.length);
  return { ...message, content: `${output}\n\n${NOTE}${words}` };
}

/** The newest result that shows the same lines completely, and the differences to it that were shown since. */
function sourcesOf(view: FileView, earlier: readonly FileView[]): FileView[] {
  const alike = earlier.filter(({ range }) => range === view.range).toReversed();
  const same = alike.filter(({ paths }) => paths.some((path) => view.paths.includes(path)));
  // A file can be named in several ways, for example relative to another directory.
  const names = view.paths.map((path) => posix.basename(path));
  const named = alike.filter(({ paths }) => paths.some((path) => names.includes(posix.basename(path))));
  const sources: FileView[] = [];
  for (const each of same.length > 0 ? same : named) {
    if (!UNCHANGED.test(each.message.content)) sources.push(each);
    if (!REFERENCE.test(each.message.content)) break;
  }
  return sources;
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
    const paths = [path].flat().filter((each) => typeof each === 'string');
    if (paths.length === 0) return [];
    return [
      {
        index,
        message,
        range: JSON.stringify([message.toolName, offset, limit, column]),
        paths: paths.map((each) => posix.normalize(each)),
      },
    ];
  });
}
