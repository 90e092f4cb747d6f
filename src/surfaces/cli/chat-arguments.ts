import { type Command, InvalidArgumentError, Option } from 'commander';
import { ConfigurationError } from '../../base/index.ts';
import { type ChatOptions, IF_BUSY } from './chat-options.ts';
import { parseCount } from './parse-count.ts';
import { parseNames } from './parse-names.ts';

/** What the parser makes of the words behind `hermes` or `hermes chat`. */
export type RawChatOptions = Partial<Omit<ChatOptions, 'prompt' | 'output' | 'once' | 'images'>> & {
  query?: string;
  final?: string;
  json?: boolean;
  continue?: boolean | string;
  image?: string[];
};

/** What a chat of any form can be told. */
export function addChatOptions(command: Command): Command {
  return command
    .argument('[prompt...]', 'what to do')
    .option('-p, --profile <profile>', 'use the home of this profile')
    .option('-q, --query <text>', 'answer one prompt and end')
    .option('-z, --final <text>', 'answer one prompt; prints the final text and no more')
    .option('--query-file <file>', 'answer the prompt in a file and end; - is standard input')
    .option('--json', 'one JSON object per event, a result record last')
    .option('--output-schema <file>', 'the final answer is JSON that validates against this JSON Schema')
    .option('-r, --resume <session>', 'go on with a session: id, beginning of one, or title')
    .option('-c, --continue [session]', 'go on with the newest session, or with this one')
    .addOption(new Option('--if-busy <way>', 'where another process works on the session').choices(IF_BUSY))
    .option('--image <file>', 'attach an image (PNG, JPEG, GIF, WebP) or a PDF file; may be repeated', collect)
    .option('-m, --model <name>', 'the model to use')
    .option('--provider <name>', 'the provider to use; "demo" needs nothing')
    .option('--max-turns <n>', 'the most steps a turn may take', parseCount)
    .option('-t, --toolsets <names>', 'only these tool sets, with commas between them', parseNames)
    .option('-s, --skills <names>', 'begin with these skills, with commas between them', parseNames)
    .option('--yolo', 'run dangerous commands without asking')
    .option('--plan', 'plan mode: read and think, change nothing')
    .option('--checkpoints', 'keep files before a turn changes them, so that /rollback can bring them back')
    .option('--save-trajectories', 'write the conversation down for training at the end of each turn')
    .option('--trajectory-file <file>', 'the same, all of it into this file')
    .option('-w, --worktree', 'work in a git worktree of its own, on a branch of its own')
    .option('--plain', 'a chat in plain lines, for screen readers and simple terminals')
    .option('--pass-session-id', 'tell the model the id of its session')
    .option('--source <tag>', 'what the session counts as in lists and insights; "cli" without it', parseTag)
    .option('-Q, --quiet', 'nothing on standard error but errors')
    .option('--verbose', 'say which model is used and why, tell each step, and write debug details to the log')
    .option('--usage-file <file>', 'write tokens and cost to a JSON file, even on failure');
}

function parseTag(value: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,39}$/i.test(value)) return value;
  throw new InvalidArgumentError('Letters, digits, ".", "_" and "-", 40 at most.');
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

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
