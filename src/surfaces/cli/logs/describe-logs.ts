import { type Command, Option } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { parseCount } from '../parse-count.ts';
import { LOG_LEVELS, parseSince } from './log-entry.ts';
import type { LogsOptions } from './logs.ts';

const EXAMPLES = `
Examples:
  hermes logs --level warn --since 2h
  hermes logs --session 20260501_101500_ab12cd -n 200
  hermes logs -f`;

export function describeLogs(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const logs = program.command('logs').description('show what was written to the log, without secrets');
  if (!inFull) return;
  logs
    .option('-n, --lines <n>', 'how many lines', parseCount, 50)
    .option('-f, --follow', 'go on with what comes; Ctrl-C leaves')
    .option('--session <session>', 'only of this session: its id, the beginning of one, or its title')
    .addOption(new Option('--level <level>', 'this level and above').choices(LOG_LEVELS))
    .option('--since <time>', 'from then on: 30m, 2h, 1d, or a date', (text) => parseSince(text))
    .option('--json', 'one JSON object per line')
    .addHelpText('after', EXAMPLES)
    .action((options: LogsOptions) =>
      found(async (io, signal) => (await import('./logs.ts')).showLogs(options, io, signal)),
    );
}
