import type { ToolCall } from '../../base/index.ts';
import { redactForModel, shorten } from '../../util/index.ts';
import type { NumberedMessage } from '../conversation.ts';
import { pathsOf } from '../summary/extract.ts';
import { wordsOf } from '../summary/user-words.ts';

/** One line of a map: which messages, and by what they can be told apart from others. */
export type MapLine = {
  first: number;
  last: number;
  user: readonly string[];
  ran: readonly string[];
  files: readonly string[];
  answer: readonly string[];
};

const PARTS = ['user', 'ran', 'files', 'answer'] as const;
const BETWEEN = ' | ';
const WITHIN = ' / ';
/** A turn of many steps becomes several lines, so that what is read back stays small. */
const MOST_MESSAGES = 24;

/** The removed messages by turns. */
export function mapLines(numbered: readonly NumberedMessage[]): MapLine[] {
  const groups: NumberedMessage[][] = [];
  for (const source of numbered) {
    const last = groups.at(-1);
    const isFull = (last?.length ?? 0) >= MOST_MESSAGES && source.message.role !== 'tool';
    // Where a kept message lies between, what comes after it belongs to that one.
    const isNext = last?.at(-1)?.number === source.number - 1;
    if (last === undefined || isFull || !isNext || source.message.role === 'user') groups.push([source]);
    else last.push(source);
  }
  return groups.map(toLine);
}

function toLine(numbered: readonly NumberedMessage[]): MapLine {
  const messages = numbered.map(({ message }) => message);
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const answer = messages.findLast((message) => message.role === 'assistant' && message.content.trim() !== '');
  return {
    first: numbered[0]?.number ?? 0,
    last: numbered.at(-1)?.number ?? 0,
    user: wordsOf(numbered).map(({ text }) => clean(text, 80)),
    ran: [...new Set(calls.map(describeCall))].slice(0, 8),
    files: [...new Set(calls.flatMap(pathsOf))].map((path) => clean(path, 120)).slice(0, 10),
    answer: answer === undefined ? [] : [clean(answer.content, 160)],
  };
}

/** The first text of the arguments tells one command from another; paths stand among the files. */
function describeCall(call: ToolCall): string {
  const first = /:\s*"((?:[^"\\]|\\.){1,120})/.exec(call.arguments)?.[1] ?? '';
  return clean(pathsOf(call).length > 0 ? call.name : `${call.name} ${first}`, 70);
}

/** One line without a secret, and without the signs that set parts of a line apart. */
function clean(text: string, limit: number): string {
  return shorten(redactForModel(text).replaceAll(BETWEEN, ', ').replaceAll(WITHIN, ', '), limit);
}

export function renderLine(line: MapLine): string {
  const parts = PARTS.flatMap((part) => (line[part].length === 0 ? [] : [`${part}: ${line[part].join(WITHIN)}`]));
  return [`- #${line.first}-#${line.last}`, ...parts].join(BETWEEN);
}

/** Reads the lines of a former map back. */
export function parseLines(text: string): MapLine[] {
  return text.split('\n').flatMap((line) => {
    const [first = '', ...parts] = line.split(BETWEEN);
    const [, from, to] = /^- #(\d{1,9})-#(\d{1,9})$/.exec(first) ?? [];
    if (from === undefined) return [];
    const part = (name: string) => {
      const found = parts.find((each) => each.startsWith(`${name}: `));
      return found === undefined ? [] : found.slice(name.length + 2).split(WITHIN);
    };
    return [
      {
        first: Number(from),
        last: Number(to),
        user: part('user'),
        ran: part('ran'),
        files: part('files'),
        answer: part('answer'),
      },
    ];
  });
}
