import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { parseCount } from '../parse-count.ts';
import type { BrowseOptions } from './browse/browse.ts';
import type { DeleteOptions, PruneOptions } from './change.ts';
import type { ExportOptions } from './export/export.ts';
import type { ListOptions } from '../../text/session-lines.ts';
import type { MigrateOptions } from './migrate.ts';
import type { SearchOptions } from './search.ts';
import type { ShowOptions } from './show.ts';
import type { WatchOptions } from './watch.ts';

type Json = { json?: boolean };
type Found = (run: CommandRun) => void;

const ID = 'its id, the beginning of one, or its title';
const SOURCE = 'only those from there, such as cli';

const EXAMPLES = `
A session is named by its id, the beginning of one (4 characters or more) or its title.

Examples:
  hermes sessions list --limit 50
  hermes sessions search '"disk full" OR quota'
  hermes sessions export --session "Fix the build" build.html
  hermes sessions prune --older-than 90`;

const MIGRATE_EXAMPLES = `
What is copied is compared, and what was copied before is not copied again: it can be stopped and run again. Nothing is
taken out of where it was. An address with a password is better kept in .env, as HERMES_DATABASE_URL.

Examples:
  hermes sessions migrate
  hermes sessions migrate --to postgresql://ada@db.example/hermes
  hermes sessions migrate --to ~/.hermes/state.db`;

/** The commands about stored sessions. Nothing of them is loaded before one runs, and none needs a model. */
export function describeSessions(program: Command, found: Found, inFull: boolean): void {
  const sessions = program.command('sessions').description('look into and look after stored sessions');
  // Describing them all costs a start that is about something else more than reading its own options.
  if (!inFull) return;
  sessions
    .helpCommand(false)
    .option('--json', 'answer with JSON, for any of the commands')
    .addHelpText('after', EXAMPLES);
  sessions.commandsGroup('Look into sessions:');
  describeReading(sessions, found);
  describeFollowing(sessions, found);
  sessions.commandsGroup('Take out and in:');
  describeMoving(sessions, found);
  describeMigration(sessions, found);
  sessions.commandsGroup('Change sessions:');
  describeChanging(sessions, found);
  sessions.commandsGroup('Look after the store:');
  describeCare(sessions, found);
}

function describeReading(sessions: Command, found: Found): void {
  withJson(sessions.command('list').description('show the newest sessions'))
    .option('--limit <n>', 'how many', parseCount, 20)
    .option('--source <name>', SOURCE)
    .option('--all', 'also those that were compressed and go on in another, and those of subagents')
    .addHelpText('after', examples('hermes sessions list --limit 50'))
    .action((options: ListOptions & Json) =>
      found(async (io) => (await import('./list.ts')).listSessions(options, io)),
    );
  withJson(sessions.command('browse').description('look through sessions in the terminal, and go on with one'))
    .option('--source <name>', SOURCE)
    .option('--limit <n>', 'how many, with --json', parseCount, 20)
    .addHelpText('after', examples('hermes sessions browse'))
    .action((options: BrowseOptions) =>
      found(async (io, _signal, run) => (await import('./browse/browse.ts')).browseSessions(options, io, run)),
    );
  withJson(sessions.command('show').description('show a session with all its messages'))
    .argument('<session>', ID)
    .option('--lineage', 'with all that was said before it was compressed, each message once')
    .addHelpText(
      'after',
      examples('hermes sessions show 20261104_0912', 'hermes sessions show "Fix the build" --lineage'),
    )
    .action((session: string, options: ShowOptions) =>
      found(async (io) => (await import('./show.ts')).showSession(session, options, io)),
    );
  withJson(sessions.command('search').description('find messages: words, "phrases", OR, NOT, beginn*'))
    .argument('<query...>', 'what to look for')
    .option('--source <name>', 'only sessions from there, such as cli; can be repeated', collect)
    .option('--role <role>', 'only messages of the user, assistant or tool; can be repeated', collectRole)
    .option('--limit <n>', 'how many', parseCount, 20)
    .addHelpText(
      'after',
      examples('hermes sessions search \'"disk full" OR quota\'', 'hermes sessions search beginn* --role user'),
    )
    .action((words: string[], options: SearchOptions) =>
      found(async (io) => (await import('./search.ts')).searchSessions(words.join(' '), options, io)),
    );
}

function describeFollowing(sessions: Command, found: Found): void {
  withJson(sessions.command('watch').description('follow the turn that another process runs in a session'))
    .argument('<session>', ID)
    .option('--follow', 'go on with later turns, until Ctrl-C')
    .addHelpText('after', examples('hermes sessions watch 20261104_0912 --follow'))
    .action((session: string, options: WatchOptions) =>
      found(async (io) => (await import('./watch.ts')).watchSession(session, options, io)),
    );
}

function describeMoving(sessions: Command, found: Found): void {
  withJson(sessions.command('export').description('write sessions as JSON lines, Markdown, a web page or trajectories'))
    .argument('<file>', 'a new file, .jsonl, .md or .html; - is standard output')
    .option('--session <session>', `only this one: ${ID}`)
    .option('--lineage', 'with all that it goes on from and that goes on from it')
    .option('--source <name>', SOURCE)
    .addOption(
      new Option('--format <format>', 'whatever the file is called; trajectory is the form for training').choices([
        'jsonl',
        'markdown',
        'html',
        'trajectory',
      ]),
    )
    .option('--redact', 'take secrets out; for trajectories')
    .addHelpText(
      'after',
      examples(
        'hermes sessions export all.jsonl',
        'hermes sessions export --session "Fix the build" build.html',
        'hermes sessions export --format trajectory --redact training.jsonl',
      ),
    )
    .action((file: string, options: ExportOptions) =>
      found(async (io) => (await import('./export/export.ts')).exportSessions(file, options, io)),
    );
  withJson(sessions.command('import').description('take in sessions from an export or from a state.db'))
    .argument('<file>', 'the file; - is standard input, for an export')
    .addHelpText('after', examples('hermes sessions import all.jsonl'))
    .action((file: string, options: Json) =>
      found(async (io) => (await import('./import.ts')).importSessions(file, options, io)),
    );
}

function describeMigration(sessions: Command, found: Found): void {
  withJson(sessions.command('migrate').description('copy all sessions into a PostgreSQL database, or back into a file'))
    .option('--to <place>', 'an address, postgresql://…, or a file; without it storage.url')
    .option('--from <place>', 'likewise; without it where sessions are now')
    .addHelpText('after', MIGRATE_EXAMPLES)
    .action((options: MigrateOptions) =>
      found(async (io, signal) => (await import('./migrate.ts')).migrateSessions(options, io, signal)),
    );
}

function describeChanging(sessions: Command, found: Found): void {
  withJson(sessions.command('rename').description('give a session another title'))
    .argument('<session>', ID)
    .argument('<title...>', 'at most 100 characters, different from all others')
    .addHelpText('after', examples('hermes sessions rename 20261104_0912 "Fix the build"'))
    .action((session: string, title: string[], options: Json) =>
      found(async (io) => (await import('./change.ts')).renameSession(session, title.join(' '), options, io)),
    );
  withJson(sessions.command('branch').description('make a session that begins with the messages of another'))
    .argument('<session>', ID)
    .addHelpText('after', examples('hermes sessions branch "Fix the build"'))
    .action((session: string, options: Json) =>
      found(async (io) => (await import('./branch.ts')).makeBranch(session, options, io)),
    );
  withJson(sessions.command('delete').description('delete a session for good'))
    .argument('<session>', ID)
    .option('--with-descendants', 'also all sessions that go on from it')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('hermes sessions delete 20261104_0912'))
    .action((session: string, options: DeleteOptions) =>
      found(async (io) => (await import('./change.ts')).deleteSession(session, options, io)),
    );
  withJson(sessions.command('prune').description('delete ended sessions that have rested for long'))
    .requiredOption('--older-than <days>', 'how many days nothing happened in them', parseCount)
    .option('--source <name>', SOURCE)
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('hermes sessions prune --older-than 90'))
    .action((options: PruneOptions) => found(async (io) => (await import('./change.ts')).pruneSessions(options, io)));
}

function describeCare(sessions: Command, found: Found): void {
  withJson(sessions.command('stats').description('show how much is stored'))
    .addHelpText('after', examples('hermes sessions stats'))
    .action((options: Json) => found(async (io) => (await import('./care.ts')).showStats(options, io)));
  withJson(sessions.command('optimize').description('bring the search up to date and free disk space'))
    .addHelpText('after', examples('hermes sessions optimize'))
    .action((options: Json) =>
      found(async (io, signal) => (await import('./care.ts')).optimizeSessions(options, io, signal)),
    );
  withJson(sessions.command('repair').description('save what can be read of a damaged database'))
    .addHelpText('after', examples('hermes sessions repair'))
    .action((options: Json) =>
      found(async (io, signal) => (await import('./care.ts')).repairSessions(options, io, signal)),
    );
}

function withJson(command: Command): Command {
  return command.option('--json', 'answer with JSON');
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function collectRole(value: string, before?: readonly string[]): string[] {
  if (['user', 'assistant', 'tool'].includes(value)) return collect(value, before);
  throw new InvalidArgumentError('It must be user, assistant or tool.');
}
