import { isJsonObject, type JsonObject, type Message, parseJson, type ToolMessage } from '../../../base/index.ts';
import type { ModelRequest, RouteSource } from '../../../contracts/index.ts';
import { createScriptedModel, type ModelReply } from '../../../testing/index.ts';
import { quoteWord } from '../../../util/index.ts';

const MODEL = 'scripted-demo';
const CONTEXT_LENGTH = 100_000;

/** The built-in demo as a route like any other. `slowly` streams at reading speed, for someone who watches. */
export function createDemoRoute(options: { slowly: boolean }): RouteSource {
  return {
    provider: 'demo',
    model: MODEL,
    async open() {
      const pace = options.slowly ? { chunkSize: 6, delayMs: 15 } : {};
      const client = createScriptedModel((request) => ({ ...demoReply(request), ...pace }), { producer: 'demo' });
      const place = { baseUrl: 'demo://local', apiMode: 'chat_completions' as const };
      return { provider: 'demo', model: MODEL, ...place, contextLength: CONTEXT_LENGTH, client };
    },
  };
}

/** What the demo understands: words that lead to a call, and what it says once the result is there. */
type Skill = {
  matches: RegExp;
  call(match: RegExpExecArray): { name: string; arguments: JsonObject };
  intro: string;
  outcome(result: string): string;
};

const LINES_SHOWN = 12;

const SKILLS: readonly Skill[] = [
  {
    matches: /\b(?:delete|remove|erase)\b\s*(.*)/i,
    call: (match) => ({ name: 'terminal', arguments: { command: `rm -rf ${quoted(match[1] || 'demo-folder')}` } }),
    intro: 'That is a command which cannot be undone, so you are asked before it runs.',
    outcome: (result) => `This is what came of it:\n\n${gist(result)}`,
  },
  {
    matches: /\b(?:run|start)\b.*\btests?\b/i,
    call: () => ({
      name: 'terminal',
      arguments: { command: 'test -f package.json && npm test || echo "There is no package.json here."', timeout: 120 },
    }),
    intro: 'I run the tests of this folder.',
    outcome: (result) => `The end of the output:\n\n${gist(result, 'end')}`,
  },
  {
    matches: /\b(?:what(?:'s| is) in|show|read|open|print)\b.*?([\w./-]+\.\w+)/i,
    call: (match) => ({ name: 'read_file', arguments: { path: match[1] ?? 'README.md' } }),
    intro: 'I read that file.',
    outcome: (result) => `It begins like this:\n\n${gist(result)}`,
  },
  {
    matches: /\b(?:list|show|which|what)\b.*\bfiles?\b|\bls\b/i,
    call: () => ({ name: 'terminal', arguments: { command: 'ls -p | head -40' } }),
    intro: 'I look at this folder.',
    outcome: (result) => `These files are here:\n\n${gist(result)}`,
  },
];

const WELCOME =
  'This is a scripted demo, not a language model: it knows a handful of requests, but the tools it calls are real.';
const HELP = [
  'I understand:',
  '  list the files here',
  '  what is in README.md',
  '  run the tests',
  '  delete FOLDER        (shows how you are asked first)',
  'To connect a real model, run `hermes setup`.',
].join('\n');

/** The next answer of the demo model: a call for a request it knows, words about the result of its last call. */
export function demoReply(request: ModelRequest): ModelReply {
  const newest = request.messages.at(-1);
  const welcome = isFirstAnswer(request.messages) ? `${WELCOME}\n\n` : '';
  if (newest?.role === 'tool') return { text: `${reminder(request.messages)}${answerTo(newest, request.messages)}` };

  const wish = newest?.content ?? '';
  for (const skill of SKILLS) {
    const match = skill.matches.exec(wish);
    if (match && request.toolChoice === 'auto') {
      return { text: `${welcome}${skill.intro}`, toolCalls: [skill.call(match)] };
    }
  }
  const known = /\b(?:help|hello|hi|hey)\b/i.test(wish);
  return { text: `${welcome}${known ? '' : 'That is beyond this demo. '}${HELP}` };
}

/** The first final text says what it is as well: it may be all that a reader gets to see. */
function reminder(messages: readonly Message[]): string {
  const questions = messages.filter((message) => message.role === 'user').length;
  return questions === 1 ? '(Scripted demo.) ' : '';
}

function answerTo(result: ToolMessage, messages: readonly Message[]): string {
  const wish = messages.findLast((message) => message.role === 'user')?.content ?? '';
  const skill = SKILLS.find((candidate) => candidate.matches.test(wish));
  return skill === undefined ? gist(result.content) : skill.outcome(result.content);
}

function isFirstAnswer(messages: readonly Message[]): boolean {
  return !messages.some((message) => message.role === 'assistant');
}

/** Results are JSON in most cases; the part a person wants to see is its text. */
function gist(result: string, part: 'start' | 'end' = 'start'): string {
  const lines = textOf(result).trimEnd().split('\n');
  const shown = part === 'start' ? lines.slice(0, LINES_SHOWN) : lines.slice(-LINES_SHOWN);
  const left = lines.length - shown.length;
  return left > 0 ? `${shown.join('\n')}\n… (${left} more lines)` : shown.join('\n');
}

function textOf(result: string): string {
  const parsed = parseJson(result);
  if (!isJsonObject(parsed)) return result;
  const text = ['output', 'content', 'error']
    .map((key) => parsed[key])
    .find((value) => typeof value === 'string' && value !== '');
  return typeof text === 'string' ? text : result;
}

/** The words of the person become one argument of a command and nothing more. */
function quoted(words: string): string {
  const name = words.replace(/^(?:the|folder|directory|file|my)\s+/gi, '').trim();
  return quoteWord(name);
}
