import { ConfigurationError } from '../../../base/index.ts';
import { type ChatOptions, IF_BUSY } from '../chat-options.ts';
import type { CommandRow, ValueRow } from './command-row.ts';
import { collect, parseCount, parseNames, parseTag } from './option-values.ts';

/** What the parser makes of the words behind `hermes` or `hermes chat`. */
export type RawChatOptions = Partial<Omit<ChatOptions, 'prompt' | 'output' | 'once' | 'images'>> & {
  query?: string;
  final?: string;
  json?: boolean;
  continue?: boolean | string;
  image?: string[];
};

const CHAT_OPTIONS: readonly ValueRow[] = [
  { form: '-p, --profile <profile>', about: 'use the home of this profile' },
  { form: '-q, --query <text>', about: 'answer one prompt and end' },
  { form: '-z, --final <text>', about: 'answer one prompt; prints the final text and no more' },
  { form: '--query-file <file>', about: 'answer the prompt in a file and end; - is standard input' },
  { form: '--json', about: 'one JSON object per event, a result record last' },
  { form: '--output-schema <file>', about: 'the final answer is JSON that validates against this JSON Schema' },
  { form: '-r, --resume <session>', about: 'go on with a session: id, beginning of one, or title' },
  { form: '-c, --continue [session]', about: 'go on with the newest session, or with this one' },
  { form: '--if-busy <way>', about: 'where another process works on the session', choices: IF_BUSY },
  {
    form: '--image <file>',
    about: 'attach an image (PNG, JPEG, GIF, WebP) or a PDF file; may be repeated',
    parse: collect,
  },
  { form: '-m, --model <name>', about: 'the model to use' },
  { form: '--provider <name>', about: 'the provider to use; "demo" needs nothing' },
  { form: '--max-turns <n>', about: 'the most steps a turn may take', parse: parseCount },
  { form: '-t, --toolsets <names>', about: 'only these tool sets, with commas between them', parse: parseNames },
  { form: '-s, --skills <names>', about: 'begin with these skills, with commas between them', parse: parseNames },
  { form: '--yolo', about: 'run dangerous commands without asking' },
  { form: '--plan', about: 'plan mode: read and think, change nothing' },
  {
    form: '--checkpoints',
    about: 'keep files before a turn changes them, so that /rollback can bring them back',
  },
  { form: '--save-trajectories', about: 'write the conversation down for training at the end of each turn' },
  { form: '--trajectory-file <file>', about: 'the same, all of it into this file' },
  { form: '-w, --worktree', about: 'work in a git worktree of its own, on a branch of its own' },
  { form: '--plain', about: 'a chat in plain lines, for screen readers and simple terminals' },
  { form: '--pass-session-id', about: 'tell the model the id of its session' },
  {
    form: '--source <tag>',
    about: 'what the session counts as in lists and insights; "cli" without it',
    parse: parseTag,
  },
  { form: '-Q, --quiet', about: 'nothing on standard error but errors' },
  {
    form: '--verbose',
    about: 'say which model is used and why, tell each step, and write debug details to the log',
  },
  { form: '--usage-file <file>', about: 'write tokens and cost to a JSON file, even on failure' },
];

/** `hermes` itself: the one command that every start needs, so the table of the others does not hold it. */
export const PROGRAM: CommandRow = {
  name: 'hermes',
  about: 'An autonomous agent on your own machine. Without a prompt it opens a chat.',
  arguments: [{ form: '[prompt...]', about: 'what to do' }],
  options: CHAT_OPTIONS,
  examples: ['hermes -q "why does the build fail?"', 'git diff | hermes -z "write a commit message"'],
  isChat: true,
};

/** Checks what only fits together in one way. */
export function toChatOptions(words: readonly string[], raw: RawChatOptions): ChatOptions {
  const prompts = [raw.query, raw.final, raw.queryFile, words.length > 0 ? words.join(' ') : undefined].filter(
    (text) => text !== undefined,
  );
  if (prompts.length > 1) {
    throw new ConfigurationError('There is more than one prompt.', {
      hint: 'Give it once: with -q, with -z, with --query-file, or as words (in quotes).',
    });
  }
  return {
    prompt: raw.queryFile === undefined ? prompts[0] : undefined,
    queryFile: raw.queryFile,
    outputSchema: raw.outputSchema,
    output: raw.json ? 'json' : raw.final === undefined ? 'text' : 'final',
    once:
      raw.json === true || [raw.query, raw.final, raw.queryFile, raw.outputSchema].some((given) => given !== undefined),
    ...chooseSession(raw),
    ifBusy: raw.ifBusy,
    model: raw.model,
    provider: raw.provider,
    maxTurns: raw.maxTurns,
    toolsets: raw.toolsets,
    skills: raw.skills,
    source: raw.source,
    yolo: raw.yolo ?? false,
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

/** `--continue` with a name is `--resume`. */
function chooseSession({ resume, continue: again }: RawChatOptions): Pick<ChatOptions, 'resume' | 'continueLatest'> {
  if (typeof again !== 'string') return { resume, continueLatest: again ?? false };
  if (resume === undefined) return { resume: again, continueLatest: false };
  throw new ConfigurationError('There is more than one session to go on with.', {
    hint: 'Name it once: with --resume or with --continue.',
  });
}
