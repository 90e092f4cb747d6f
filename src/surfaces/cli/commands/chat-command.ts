import { ConfigurationError } from '../../../base/index.ts';
import { type ChatOptions, IF_BUSY, INPUT_FORMATS, type SessionFlags } from '../chat-options.ts';
import type { CommandRow, ValueRow } from './command-row.ts';
import { collect, parseCount, parseNames, parseTag } from './option-values.ts';

/** The parsed options of `hermes` and `hermes chat`. */
export type RawChatOptions = Partial<Omit<ChatOptions, 'prompt' | 'output' | 'once' | 'images' | 'flags' | 'resume'>> &
  SessionFlags & {
    query?: string;
    final?: string;
    json?: boolean;
    resume?: boolean | string;
    continue?: boolean | string;
    image?: string[];
  };

const CHAT_OPTIONS: readonly ValueRow[] = [
  { form: '-p, --profile <profile>', about: 'use the home directory of this profile', onlyReads: true },
  { form: '-q, --query <text>', about: 'answer one prompt and exit' },
  { form: '-z, --final <text>', about: 'answer one prompt and print only the final text' },
  { form: '--query-file <file>', about: 'answer the prompt in a file and exit; - means standard input' },
  { form: '--json', about: 'print one JSON object per event; the last one is the result', onlyReads: true },
  {
    form: '--input-format <format>',
    about: 'with --json: stream-json reads prompts, steering and answers as JSON lines from standard input',
    choices: INPUT_FORMATS,
  },
  { form: '--output-schema <file>', about: 'require the final answer to be JSON that matches this JSON Schema' },
  { form: '-r, --resume [session]', about: 'resume a session by id or title, or select one' },
  {
    form: '-c, --continue [session]',
    about: 'resume the latest session, or the given one',
  },
  { form: '--if-busy <action>', about: 'what to do if another process is using the session', choices: IF_BUSY },
  {
    form: '--image <file>',
    about: 'attach an image (PNG, JPEG, GIF, WebP) or a PDF file; may be repeated',
    parse: collect,
  },
  { form: '-m, --model <name>', about: 'model to use' },
  { form: '--provider <name>', about: 'provider to use; "demo" needs no configuration' },
  { form: '--strict-mcp', about: 'exit with code 2 if an MCP server cannot be used' },
  { form: '--max-turns <n>', about: 'maximum number of steps per turn', parse: parseCount },
  { form: '-t, --toolsets <names>', about: 'enable only these tool sets (comma-separated)', parse: parseNames },
  { form: '--allowed-tools <names>', about: 'offer only these of the enabled tools', parse: parseNames },
  { form: '--disallowed-tools <names>', about: 'do not offer these tools or tool sets', parse: parseNames },
  {
    form: '--add-dir <folder>',
    about: 'treat this folder like the working directory; may be repeated',
    parse: collect,
  },
  { form: '--append-system-prompt <text>', about: 'append a text to the system prompt of a new session' },
  { form: '--system-prompt-file <file>', about: 'replace the system prompt of a new session with a file' },
  {
    form: '-s, --skills <names>',
    about: 'load these skills with the first message (comma-separated)',
    parse: parseNames,
  },
  { form: '--yolo', about: 'run dangerous commands without asking' },
  { form: '--sandbox', about: 'run commands in a sandbox, without approval as long as they stay inside (Linux)' },
  { form: '--no-sandbox', about: 'run commands without the sandbox, if the configuration enables it' },
  { form: '--plan', about: 'plan mode: only read-only tools run' },
  {
    form: '--checkpoints',
    about: 'take a checkpoint before a turn changes files, for /rollback',
  },
  { form: '--save-trajectories', about: 'save the session as training data after each turn' },
  { form: '--trajectory-file <file>', about: 'like --save-trajectories, but append to this file' },
  { form: '-w, --worktree', about: 'work in a new Git worktree on its own branch' },
  { form: '--plain', about: 'plain text chat, for screen readers and simple terminals', onlyReads: true },
  { form: '--pass-session-id', about: 'include the session id in the system prompt' },
  {
    form: '--source <tag>',
    about: 'session source, shown in lists and insights (default: "cli")',
    parse: parseTag,
  },
  { form: '-Q, --quiet', about: 'print only errors to standard error', onlyReads: true },
  {
    form: '--verbose',
    about: 'show which model is used and why, show each step, and write debug messages to the log',
    onlyReads: true,
  },
  { form: '--usage-file <file>', about: 'write token usage and cost to a JSON file, even on failure' },
];

/** `hermes` itself. Every invocation needs it, so it is not part of the command table, which is loaded on demand. */
export const PROGRAM: CommandRow = {
  name: 'hermes',
  about: 'An autonomous AI agent on your machine. Without a prompt, it opens a chat.',
  arguments: [{ form: '[prompt...]', about: 'the task or question' }],
  options: CHAT_OPTIONS,
  examples: ['hermes -q "why does the build fail?"', 'git diff | hermes -z "write a commit message"'],
  isChat: true,
};

/** Converts the parsed options and rejects invalid combinations. */
export function toChatOptions(words: readonly string[], raw: RawChatOptions): ChatOptions {
  const prompts = [raw.query, raw.final, raw.queryFile, words.length > 0 ? words.join(' ') : undefined].filter(
    (text) => text !== undefined,
  );
  if (prompts.length > 1) {
    throw new ConfigurationError('More than one prompt was given.', {
      hint: 'Pass only one: -q, -z, --query-file or words (in quotes).',
    });
  }
  checkInputFormat(raw);
  return {
    prompt: raw.queryFile === undefined ? prompts[0] : undefined,
    queryFile: raw.queryFile,
    outputSchema: raw.outputSchema,
    output: raw.json ? 'json' : raw.final === undefined ? 'text' : 'final',
    once:
      raw.json === true || [raw.query, raw.final, raw.queryFile, raw.outputSchema].some((given) => given !== undefined),
    ...chooseSession(raw),
    ...(raw.inputFormat !== undefined && { inputFormat: raw.inputFormat }),
    ifBusy: raw.ifBusy,
    model: raw.model,
    provider: raw.provider,
    maxTurns: raw.maxTurns,
    toolsets: raw.toolsets,
    flags: raw,
    skills: raw.skills,
    source: raw.source,
    yolo: raw.yolo ?? false,
    ...(raw.sandbox !== undefined && { sandbox: raw.sandbox }),
    ...(raw.strictMcp && { strictMcp: true }),
    ...(raw.plan && { plan: true }),
    ...(raw.checkpoints && { checkpoints: true }),
    ...(raw.saveTrajectories && { saveTrajectories: true }),
    ...(raw.trajectoryFile !== undefined && { trajectoryFile: raw.trajectoryFile }),
    ...(raw.worktree && { worktree: true }),
    ...(raw.plain && { plain: true }),
    ...(raw.passSessionId && { passSessionId: true }),
    quiet: raw.quiet ?? false,
    verbose: raw.verbose ?? false,
    usageFile: raw.usageFile,
    images: raw.image ?? [],
  };
}

/** A program that sends records reads the events as records, too. */
function checkInputFormat({ inputFormat, json, outputSchema, queryFile }: RawChatOptions): void {
  if (inputFormat !== 'stream-json') return;
  if (!json) throw new ConfigurationError('--input-format stream-json requires --json.');
  const [other] = [outputSchema && '--output-schema', queryFile === '-' && '--query-file -'].filter(Boolean);
  if (other) throw new ConfigurationError(`--input-format stream-json cannot be combined with ${other}.`);
}

type SessionChoice = Pick<ChatOptions, 'resume' | 'selectsSession' | 'continueLatest'>;

/** `--continue NAME` is the same as `--resume NAME`. */
function chooseSession({ resume, continue: again }: RawChatOptions): SessionChoice {
  if (resume !== undefined && again !== undefined && again !== true)
    throw new ConfigurationError('More than one session to resume was given.', {
      hint: 'Pass only one of --resume and --continue.',
    });
  const reference = [resume, again].find((given) => typeof given === 'string');
  return {
    resume: reference,
    continueLatest: again === true,
    ...(resume === true && again === undefined && { selectsSession: true }),
  };
}
