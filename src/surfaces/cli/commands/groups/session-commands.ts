import { InvalidArgumentError } from 'commander';
import type { ListOptions } from '../../../text/session-lines.ts';
import type { BrowseOptions } from '../../sessions/browse/browse.ts';
import type { DeleteOptions, PruneOptions } from '../../sessions/change.ts';
import type { ExportOptions } from '../../sessions/export/export.ts';
import type { MigrateOptions } from '../../sessions/migrate.ts';
import type { SearchOptions } from '../../sessions/search.ts';
import type { ShowOptions } from '../../sessions/show.ts';
import type { WatchOptions } from '../../sessions/watch.ts';
import { PROGRAM } from '../chat-command.ts';
import {
  type CommandCall,
  type CommandRow,
  type Json,
  JSON_FOR_ALL,
  JSON_OPTION,
  type ValueRow,
  YES_OPTION,
} from '../command-row.ts';
import { collect, parseCount } from '../option-values.ts';

const GROUP = 'Chats and what was in them:';
const READING = 'Look into sessions:';
const MOVING = 'Take out and in:';
const CHANGING = 'Change sessions:';
const CARE = 'Look after the store:';

const SESSION: ValueRow = { form: '<session>', about: 'its id, the beginning of one, or its title' };
const SOURCE: ValueRow = { form: '--source <name>', about: 'only those from there, such as cli' };

/** The chat, and the commands about stored sessions, none of which needs a model. */
export const SESSION_COMMANDS: readonly CommandRow[] = [
  {
    name: 'chat',
    group: GROUP,
    about: 'chat in the terminal, or answer one prompt',
    summary: 'the same; `hermes chat --help` has all its options',
    examples: ['hermes chat', 'hermes chat --plan --model NAME'],
    arguments: PROGRAM.arguments,
    options: PROGRAM.options,
    isChat: true,
  },
  {
    name: 'sessions',
    group: GROUP,
    about: 'look into and look after stored sessions',
    options: [JSON_FOR_ALL],
    notes: 'A session is named by its id, the beginning of one (4 characters or more) or its title.',
    examples: [
      'hermes sessions list --limit 50',
      `hermes sessions search '"disk full" OR quota'`,
      'hermes sessions export --session "Fix the build" build.html',
      'hermes sessions prune --older-than 90',
    ],
    commands: [
      {
        name: 'list',
        group: READING,
        about: 'show the newest sessions',
        options: [
          JSON_OPTION,
          { form: '--limit <n>', about: 'how many', parse: parseCount, default: 20 },
          SOURCE,
          { form: '--all', about: 'also those that were compressed and go on in another, and those of subagents' },
        ],
        examples: ['hermes sessions list --limit 50'],
        run: async ({ options, io }: CommandCall<ListOptions & Json>) =>
          (await import('../../sessions/list.ts')).listSessions(options, io),
      },
      {
        name: 'browse',
        group: READING,
        about: 'look through sessions in the terminal, and go on with one',
        options: [
          JSON_OPTION,
          SOURCE,
          { form: '--limit <n>', about: 'how many, with --json', parse: parseCount, default: 20 },
        ],
        examples: ['hermes sessions browse'],
        run: async ({ options, io, run }: CommandCall<BrowseOptions>) =>
          (await import('../../sessions/browse/browse.ts')).browseSessions(options, io, run),
      },
      {
        name: 'show',
        group: READING,
        about: 'show a session with all its messages',
        arguments: [SESSION],
        options: [
          JSON_OPTION,
          { form: '--lineage', about: 'with all that was said before it was compressed, each message once' },
        ],
        examples: ['hermes sessions show 20261104_0912', 'hermes sessions show "Fix the build" --lineage'],
        run: async ({ values: [session], options, io }: CommandCall<ShowOptions, [string]>) =>
          (await import('../../sessions/show.ts')).showSession(session, options, io),
      },
      {
        name: 'search',
        group: READING,
        about: 'find messages: words, "phrases", OR, NOT, beginn*',
        arguments: [{ form: '<query...>', about: 'what to look for' }],
        options: [
          JSON_OPTION,
          { form: '--source <name>', about: 'only sessions from there, such as cli; can be repeated', parse: collect },
          {
            form: '--role <role>',
            about: 'only messages of the user, assistant or tool; can be repeated',
            parse: collectRole,
          },
          { form: '--limit <n>', about: 'how many', parse: parseCount, default: 20 },
        ],
        examples: [`hermes sessions search '"disk full" OR quota'`, 'hermes sessions search beginn* --role user'],
        run: async ({ values: [words], options, io }: CommandCall<SearchOptions, [string[]]>) =>
          (await import('../../sessions/search.ts')).searchSessions(words.join(' '), options, io),
      },
      {
        name: 'watch',
        group: READING,
        about: 'follow the turn that another process runs in a session',
        arguments: [SESSION],
        options: [JSON_OPTION, { form: '--follow', about: 'go on with later turns, until Ctrl-C' }],
        examples: ['hermes sessions watch 20261104_0912 --follow'],
        run: async ({ values: [session], options, io }: CommandCall<WatchOptions, [string]>) =>
          (await import('../../sessions/watch.ts')).watchSession(session, options, io),
      },
      {
        name: 'export',
        group: MOVING,
        about: 'write sessions as JSON lines, Markdown, a web page or trajectories',
        arguments: [{ form: '<file>', about: 'a new file, .jsonl, .md or .html; - is standard output' }],
        options: [
          JSON_OPTION,
          { form: '--session <session>', about: 'only this one: its id, the beginning of one, or its title' },
          { form: '--lineage', about: 'with all that it goes on from and that goes on from it' },
          SOURCE,
          {
            form: '--format <format>',
            about: 'whatever the file is called; trajectory is the form for training',
            choices: ['jsonl', 'markdown', 'html', 'trajectory'],
          },
          { form: '--redact', about: 'take secrets out; for trajectories' },
        ],
        examples: [
          'hermes sessions export all.jsonl',
          'hermes sessions export --session "Fix the build" build.html',
          'hermes sessions export --format trajectory --redact training.jsonl',
        ],
        run: async ({ values: [file], options, io }: CommandCall<ExportOptions, [string]>) =>
          (await import('../../sessions/export/export.ts')).exportSessions(file, options, io),
      },
      {
        name: 'import',
        group: MOVING,
        about: 'take in sessions from an export or from a state.db',
        arguments: [{ form: '<file>', about: 'the file; - is standard input, for an export' }],
        options: [JSON_OPTION],
        examples: ['hermes sessions import all.jsonl'],
        run: async ({ values: [file], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../sessions/import.ts')).importSessions(file, options, io),
      },
      {
        name: 'migrate',
        group: MOVING,
        about: 'copy all sessions into a PostgreSQL database, or back into a file',
        options: [
          JSON_OPTION,
          { form: '--to <place>', about: 'an address, postgresql://…, or a file; without it storage.url' },
          { form: '--from <place>', about: 'likewise; without it where sessions are now' },
        ],
        notes: `What is copied is compared, and what was copied before is not copied again: it can be stopped and run again. Nothing is
taken out of where it was. An address with a password is better kept in .env, as HERMES_DATABASE_URL.`,
        examples: [
          'hermes sessions migrate',
          'hermes sessions migrate --to postgresql://ada@db.example/hermes',
          'hermes sessions migrate --to ~/.hermes/state.db',
        ],
        run: async ({ options, io, signal }: CommandCall<MigrateOptions>) =>
          (await import('../../sessions/migrate.ts')).migrateSessions(options, io, signal),
      },
      {
        name: 'rename',
        group: CHANGING,
        about: 'give a session another title',
        arguments: [SESSION, { form: '<title...>', about: 'at most 100 characters, different from all others' }],
        options: [JSON_OPTION],
        examples: ['hermes sessions rename 20261104_0912 "Fix the build"'],
        run: async ({ values: [session, title], options, io }: CommandCall<Json, [string, string[]]>) =>
          (await import('../../sessions/change.ts')).renameSession(session, title.join(' '), options, io),
      },
      {
        name: 'branch',
        group: CHANGING,
        about: 'make a session that begins with the messages of another',
        arguments: [SESSION],
        options: [JSON_OPTION],
        examples: ['hermes sessions branch "Fix the build"'],
        run: async ({ values: [session], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../sessions/branch.ts')).makeBranch(session, options, io),
      },
      {
        name: 'delete',
        group: CHANGING,
        about: 'delete a session for good',
        arguments: [SESSION],
        options: [
          JSON_OPTION,
          { form: '--with-descendants', about: 'also all sessions that go on from it' },
          YES_OPTION,
        ],
        examples: ['hermes sessions delete 20261104_0912'],
        run: async ({ values: [session], options, io }: CommandCall<DeleteOptions, [string]>) =>
          (await import('../../sessions/change.ts')).deleteSession(session, options, io),
      },
      {
        name: 'prune',
        group: CHANGING,
        about: 'delete ended sessions that have rested for long',
        options: [
          JSON_OPTION,
          {
            form: '--older-than <days>',
            about: 'how many days nothing happened in them',
            isRequired: true,
            parse: parseCount,
          },
          SOURCE,
          YES_OPTION,
        ],
        examples: ['hermes sessions prune --older-than 90'],
        run: async ({ options, io }: CommandCall<PruneOptions>) =>
          (await import('../../sessions/change.ts')).pruneSessions(options, io),
      },
      {
        name: 'stats',
        group: CARE,
        about: 'show how much is stored',
        options: [JSON_OPTION],
        examples: ['hermes sessions stats'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../sessions/care.ts')).showStats(options, io),
      },
      {
        name: 'optimize',
        group: CARE,
        about: 'bring the search up to date and free disk space',
        options: [JSON_OPTION],
        examples: ['hermes sessions optimize'],
        run: async ({ options, io, signal }: CommandCall<Json>) =>
          (await import('../../sessions/care.ts')).optimizeSessions(options, io, signal),
      },
      {
        name: 'repair',
        group: CARE,
        about: 'save what can be read of a damaged database',
        options: [JSON_OPTION],
        examples: ['hermes sessions repair'],
        run: async ({ options, io, signal }: CommandCall<Json>) =>
          (await import('../../sessions/care.ts')).repairSessions(options, io, signal),
      },
    ],
  },
];

function collectRole(text: string, before?: readonly string[]): readonly string[] {
  if (['user', 'assistant', 'tool'].includes(text)) return collect(text, before);
  throw new InvalidArgumentError('It must be user, assistant or tool.');
}
