import type { ListOptions } from '../../../text/session-lines.ts';
import type { InitOptions } from '../../init/init.ts';
import type { BrowseOptions } from '../../sessions/browse/browse.ts';
import type { DeleteOptions, PruneOptions } from '../../sessions/change.ts';
import type { ExportOptions } from '../../sessions/export/export.ts';
import type { MigrateOptions } from '../../sessions/migrate.ts';
import type { SearchOptions } from '../../sessions/search.ts';
import type { ShowOptions } from '../../sessions/show.ts';
import type { WatchOptions } from '../../sessions/watch.ts';
import { PROGRAM } from '../chat-command.ts';
import { InvalidValue } from '../cli-command.ts';
import {
  type CommandCall,
  type CommandRow,
  type Json,
  JSON_FOR_ALL_OPTION,
  JSON_OPTION,
  type ValueRow,
  YES_OPTION,
} from '../command-row.ts';
import { collect, parseCount } from '../option-values.ts';

const GROUP = 'Sessions and training data:';
const READING = 'Read sessions:';
const TRANSFER = 'Export and import:';
const CHANGING = 'Change sessions:';
const MAINTENANCE = 'Maintenance:';

const SESSION: ValueRow = { form: '<session>', about: 'session id, the start of one, or a title' };
const SOURCE: ValueRow = {
  form: '--source <name>',
  about: 'only sessions from this source, such as cli',
  onlyReads: true,
};

/** The chat command and the commands for stored sessions, which need no model. */
export const SESSION_COMMANDS: readonly CommandRow[] = [
  {
    name: 'chat',
    group: GROUP,
    about: 'chat in the terminal, or answer one prompt',
    summary: 'start a chat; `hermes chat --help` has all options',
    examples: ['hermes chat', 'hermes chat --plan --model NAME'],
    arguments: PROGRAM.arguments,
    options: PROGRAM.options,
    isChat: true,
  },
  {
    name: 'init',
    group: GROUP,
    about:
      'write AGENTS.md for the project in this directory: instructions for agents, from what the model finds in its files',
    summary: 'write AGENTS.md for the project in this directory',
    options: [
      { form: '-m, --model <name>', about: 'model to use' },
      { form: '--provider <name>', about: 'provider to use' },
      { form: '-y, --yes', about: 'revise an existing AGENTS.md without asking' },
    ],
    examples: ['hermes init', 'hermes init --yes'],
    run: async ({ options, run }: CommandCall<InitOptions>) =>
      (await import('../../init/init.ts')).initProject(options, run),
  },
  {
    name: 'sessions',
    group: GROUP,
    about: 'list, search, export and manage sessions',
    options: [JSON_FOR_ALL_OPTION],
    notes: 'SESSION is a session id, a unique prefix of one (at least 4 characters), or a title.',
    examples: [
      'hermes sessions list --limit 50',
      `hermes sessions search '"disk full" OR quota'`,
      'hermes sessions export --session "Fix the build" build.html',
      'hermes sessions prune --older-than 90',
    ],
    commands: [
      {
        name: 'list',
        onlyReads: true,
        group: READING,
        about: 'list the latest sessions',
        options: [
          JSON_OPTION,
          { form: '--limit <n>', about: 'maximum number of sessions', parse: parseCount, default: 20, onlyReads: true },
          SOURCE,
          {
            form: '--all',
            about: 'include subagent sessions and sessions that continue in another one after compression',
            onlyReads: true,
          },
        ],
        examples: ['hermes sessions list --limit 50'],
        run: async ({ options, io }: CommandCall<ListOptions & Json>) =>
          (await import('../../sessions/list.ts')).listSessions(options, io),
      },
      {
        name: 'browse',
        group: READING,
        about: 'browse sessions in the terminal and resume one',
        options: [
          JSON_OPTION,
          SOURCE,
          { form: '--limit <n>', about: 'maximum number of sessions, with --json', parse: parseCount, default: 20 },
        ],
        examples: ['hermes sessions browse'],
        run: async ({ options, io, run }: CommandCall<BrowseOptions>) =>
          (await import('../../sessions/browse/browse.ts')).browseSessions(options, io, run),
      },
      {
        name: 'show',
        onlyReads: true,
        group: READING,
        about: 'show a session with all its messages',
        arguments: [SESSION],
        options: [
          JSON_OPTION,
          {
            form: '--lineage',
            about: 'include the messages from before compressions, each of them once',
            onlyReads: true,
          },
        ],
        examples: ['hermes sessions show 20261104_0912', 'hermes sessions show "Fix the build" --lineage'],
        run: async ({ values: [session], options, io }: CommandCall<ShowOptions, [string]>) =>
          (await import('../../sessions/show.ts')).showSession(session, options, io),
      },
      {
        name: 'search',
        onlyReads: true,
        group: READING,
        about: 'search messages: words, "phrases", OR, NOT, prefix*',
        arguments: [{ form: '<query...>', about: 'search query' }],
        options: [
          JSON_OPTION,
          {
            form: '--source <name>',
            about: 'only sessions from this source, such as cli; may be repeated',
            onlyReads: true,
            parse: collect,
          },
          {
            form: '--role <role>',
            about: 'only messages with the role user, assistant or tool; may be repeated',
            onlyReads: true,
            parse: collectRole,
          },
          {
            form: '--limit <n>',
            about: 'maximum number of search hits',
            parse: parseCount,
            default: 20,
            onlyReads: true,
          },
        ],
        examples: [`hermes sessions search '"disk full" OR quota'`, "hermes sessions search 'deploy*' --role user"],
        run: async ({ values: [words], options, io }: CommandCall<SearchOptions, [string[]]>) =>
          (await import('../../sessions/search.ts')).searchSessions(words.join(' '), options, io),
      },
      {
        name: 'watch',
        onlyReads: true,
        group: READING,
        about: 'follow the turn that another process runs in a session',
        arguments: [SESSION],
        options: [JSON_OPTION, { form: '--follow', about: 'also follow later turns, until Ctrl-C', onlyReads: true }],
        examples: ['hermes sessions watch 20261104_0912 --follow'],
        run: async ({ values: [session], options, io }: CommandCall<WatchOptions, [string]>) =>
          (await import('../../sessions/watch.ts')).watchSession(session, options, io),
      },
      {
        name: 'export',
        group: TRANSFER,
        about: 'export sessions as JSON lines, Markdown, HTML or trajectories',
        arguments: [{ form: '<file>', about: 'a new file: .jsonl, .md or .html; - means standard output' }],
        options: [
          JSON_OPTION,
          { form: '--session <session>', about: 'only this session: its id, a prefix of the id, or its title' },
          { form: '--lineage', about: 'include the sessions before and after it in its lineage' },
          SOURCE,
          {
            form: '--format <format>',
            about: 'format (default: by file name); trajectory is for training, hermes for the original Hermes',
            choices: ['jsonl', 'hermes', 'markdown', 'html', 'trajectory'],
          },
          { form: '--redact', about: 'redact secrets, for trajectories' },
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
        group: TRANSFER,
        about: 'import sessions from an export or a state.db',
        arguments: [{ form: '<file>', about: 'file to import: an export or a state.db; - reads an export from stdin' }],
        options: [JSON_OPTION],
        notes: `Reads exports of Hermes and of the original, and the state.db of the original of any version, which is opened
read-only. Existing sessions are skipped, so an interrupted import can be run again.`,
        examples: ['hermes sessions import all.jsonl', 'hermes sessions import ~/.hermes/state.db'],
        run: async ({ values: [file], options, ...call }: CommandCall<Json, [string]>) =>
          (await import('../../sessions/import.ts')).importSessions(file, options, call),
      },
      {
        name: 'migrate',
        group: TRANSFER,
        about: 'copy all sessions to a PostgreSQL database, or back to a file',
        options: [
          JSON_OPTION,
          { form: '--to <target>', about: 'a URL (postgresql://…) or a file (default: storage.url)' },
          { form: '--from <source>', about: 'a URL or a file (default: the current store)' },
        ],
        notes: `Copied sessions are verified. Sessions that were already copied are skipped, so the command can be stopped and run
again. Nothing is deleted from the source. Store a URL with a password as HERMES_DATABASE_URL in .env.`,
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
        about: 'change the title of a session',
        arguments: [SESSION, { form: '<title...>', about: 'a unique title of at most 100 characters' }],
        options: [JSON_OPTION],
        examples: ['hermes sessions rename 20261104_0912 "Fix the build"'],
        run: async ({ values: [session, title], options, io }: CommandCall<Json, [string, string[]]>) =>
          (await import('../../sessions/change.ts')).renameSession(session, title.join(' '), options, io),
      },
      {
        name: 'branch',
        group: CHANGING,
        about: 'create a session that starts with the messages of another',
        arguments: [SESSION],
        options: [JSON_OPTION],
        examples: ['hermes sessions branch "Fix the build"'],
        run: async ({ values: [session], options, io }: CommandCall<Json, [string]>) =>
          (await import('../../sessions/branch.ts')).makeBranch(session, options, io),
      },
      {
        name: 'delete',
        group: CHANGING,
        about: 'permanently delete a session',
        arguments: [SESSION],
        options: [
          JSON_OPTION,
          { form: '--with-descendants', about: 'also delete all sessions that continue it' },
          YES_OPTION,
        ],
        examples: ['hermes sessions delete 20261104_0912'],
        run: async ({ values: [session], options, io }: CommandCall<DeleteOptions, [string]>) =>
          (await import('../../sessions/change.ts')).deleteSession(session, options, io),
      },
      {
        name: 'prune',
        group: CHANGING,
        about: 'delete ended sessions without activity for the days given with --older-than',
        options: [
          JSON_OPTION,
          {
            form: '--older-than <days>',
            about: 'delete sessions without activity for this many days',
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
        onlyReads: true,
        group: MAINTENANCE,
        about: 'show the number and size of stored sessions',
        options: [JSON_OPTION],
        examples: ['hermes sessions stats'],
        run: async ({ options, io }: CommandCall<Json>) =>
          (await import('../../sessions/maintenance.ts')).showStats(options, io),
      },
      {
        name: 'optimize',
        group: MAINTENANCE,
        about: 'update the search index and free disk space',
        options: [JSON_OPTION],
        examples: ['hermes sessions optimize'],
        run: async ({ options, io, signal }: CommandCall<Json>) =>
          (await import('../../sessions/maintenance.ts')).optimizeSessions(options, io, signal),
      },
      {
        name: 'repair',
        group: MAINTENANCE,
        about: 'recover sessions from a damaged database',
        options: [JSON_OPTION],
        examples: ['hermes sessions repair'],
        run: async ({ options, io, signal }: CommandCall<Json>) =>
          (await import('../../sessions/maintenance.ts')).repairSessions(options, io, signal),
      },
    ],
  },
];

function collectRole(text: string, before?: readonly string[]): readonly string[] {
  if (['user', 'assistant', 'tool'].includes(text)) return collect(text, before);
  throw new InvalidValue('user, assistant or tool');
}
