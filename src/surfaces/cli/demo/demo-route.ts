import { isJsonObject, type JsonObject, type Message, parseJson, type ToolMessage } from '../../../base/index.ts';
import type { ModelRequest, RouteSource } from '../../../contracts/index.ts';
import { createScriptedModel, type ModelReply } from '../../../testing/index.ts';
import { quoteShellWord } from '../../../util/index.ts';

const MODEL = 'scripted-demo';
const CONTEXT_LENGTH = 100_000;

/** The demo model as a route. `slowly` streams at reading speed, for a terminal. */
export function createDemoRoute(options: { slowly: boolean }): RouteSource {
  return {
    provider: 'demo',
    model: MODEL,
    async open() {
      const pace = options.slowly ? { chunkSize: 6, delayMs: 15 } : {};
      const model = createScriptedModel((request) => ({ ...demoReply(request), ...pace }), { producer: 'demo' });
      // Without this setting, a user message with the images would follow a tool result, and the demo would take it
      // for a request.
      const client = { ...model, toolResultImages: true };
      const endpoint = { baseUrl: 'demo://local', apiMode: 'chat_completions' as const };
      return { provider: 'demo', model: MODEL, ...endpoint, contextLength: CONTEXT_LENGTH, client };
    },
  };
}

/** A request that the demo recognises: the words, the tool call, and the answer to its result. */
type DemoRequest = {
  matches: RegExp;
  call(match: RegExpExecArray): { name: string; arguments: JsonObject };
  intro: string;
  outcome(result: string): string;
};

const LINES_SHOWN = 12;
/** A longer text, such as that of `hermes init`, contains the words of a request only by chance. */
const MAX_REQUEST_LENGTH = 300;

const DEMO_REQUESTS: readonly DemoRequest[] = [
  {
    matches: /\b(?:delete|remove|erase)\b\s*(.*)/i,
    call: (match) => ({ name: 'terminal', arguments: { command: `rm -rf ${quoted(match[1] || 'demo-folder')}` } }),
    intro: 'This command cannot be undone, so you are asked before it runs.',
    outcome: (result) => `The result:\n\n${fenced(result)}`,
  },
  {
    matches: /\b(?:run|start)\b.*\btests?\b/i,
    call: () => ({
      name: 'terminal',
      arguments: {
        command: 'if [ -f package.json ]; then npm test; else echo "There is no package.json here."; fi',
        timeout: 120,
      },
    }),
    intro: 'I will run the tests in this folder.',
    outcome: (result) => `The end of the output:\n\n${fenced(result, 'end')}`,
  },
  {
    matches: /\b(?:what(?:'s| is) in|show|read|open|print)\b.*?([\w./-]+\.\w+)/i,
    call: (match) => ({ name: 'read_file', arguments: { path: match[1] ?? 'README.md' } }),
    intro: 'I will read that file.',
    outcome: (result) => `It starts with:\n\n${fenced(result)}`,
  },
  {
    matches: /\b(?:list|show|which|what)\b.*\bfiles?\b|\bls\b/i,
    call: () => ({ name: 'terminal', arguments: { command: 'ls -p | head -40' } }),
    intro: 'I will list the files in this folder.',
    outcome: (result) => `These files are here:\n\n${fenced(result)}`,
  },
];

const WELCOME =
  'This is a scripted demo, not a language model: it recognises only a few requests, but it calls real tools.';
const HELP = [
  'I understand:',
  '',
  '- `list the files here`',
  '- `what is in README.md`',
  '- `run the tests`',
  '- `delete FOLDER` (shows an approval prompt)',
  '',
  'To connect a real model, run `hermes setup`.',
].join('\n');

/** The next answer of the demo model: a tool call for a known request, or a text about the last result. */
export function demoReply(request: ModelRequest): ModelReply {
  const newest = request.messages.at(-1);
  const welcome = isFirstAnswer(request.messages) ? `${WELCOME}\n\n` : '';
  if (newest?.role === 'tool') return { text: `${reminder(request.messages)}${answerTo(newest, request.messages)}` };

  const requested = newest?.content ?? '';
  for (const skill of requested.length > MAX_REQUEST_LENGTH ? [] : DEMO_REQUESTS) {
    const match = skill.matches.exec(requested);
    if (match && request.toolChoice === 'auto') {
      return { text: `${welcome}${skill.intro}`, toolCalls: [skill.call(match)] };
    }
  }
  const known = /\b(?:help|hello|hi|hey)\b/i.test(requested);
  return { text: `${welcome}${known ? '' : 'This demo does not understand that. '}${HELP}` };
}

/** The first final text also says that this is a demo, because it may be all that the user sees. */
function reminder(messages: readonly Message[]): string {
  const questions = messages.filter((message) => message.role === 'user').length;
  return questions === 1 ? '(Scripted demo.) ' : '';
}

function answerTo(result: ToolMessage, messages: readonly Message[]): string {
  const requested = messages.findLast((message) => message.role === 'user')?.content ?? '';
  const skill = DEMO_REQUESTS.find((candidate) => candidate.matches.test(requested));
  return skill === undefined ? fenced(result.content) : skill.outcome(result.content);
}

function isFirstAnswer(messages: readonly Message[]): boolean {
  return !messages.some((message) => message.role === 'assistant');
}

/** In a code block, because the text is no Markdown of ours. Its fence does not occur in the text. */
function fenced(result: string, part: 'start' | 'end' = 'start'): string {
  const text = excerpt(result, part);
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}\n${text}\n${fence}`;
}

/** Most results are JSON; only the text in it is shown, without line numbers. */
function excerpt(result: string, part: 'start' | 'end'): string {
  const lines = textOf(result)
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/^\d+\|/, ''));
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

/** Quotes the user's words as a single argument of the command. */
function quoted(words: string): string {
  const name = words.replace(/^(?:the|folder|directory|file|my)\s+/gi, '').trim();
  return quoteShellWord(name);
}
