import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import type { BackupCommandOptions, ImportCommandOptions } from './backup.ts';

const BACKUP_EXAMPLES = `
It holds your keys and all that was said: keep it where only you can read it. Sessions can go on meanwhile.

Examples:
  hermes backup
  hermes backup -o ~/backups/hermes.tar.gz
  hermes backup --quick`;

const IMPORT_EXAMPLES = `
The home as it was is kept beside the new one. End other hermes processes first.

Examples:
  hermes import hermes-backup-20260501-101500.tar.gz
  HERMES_HOME=~/other hermes import hermes.tar.gz`;

export function describeBackup(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const backup = program.command('backup').description('write the home folder into one file');
  const back = program.command('import').description('put a backup in the place of the home folder');
  if (!inFull) return;
  backup
    .option('-o, --output <file>', 'where to; by default a file with the time in its name, here')
    .option('--quick', 'without logs, attached files and what was deleted')
    .option('--json', 'answer with JSON')
    .addHelpText('after', BACKUP_EXAMPLES)
    .action((options: BackupCommandOptions) =>
      found(async (io, signal) => (await import('./backup.ts')).backUpHome(options, io, signal)),
    );
  back
    .argument('<file>', 'what `hermes backup` wrote')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'answer with JSON')
    .addHelpText('after', IMPORT_EXAMPLES)
    .action((file: string, options: ImportCommandOptions) =>
      found(async (io, signal) => (await import('./backup.ts')).importHome(file, options, io, signal)),
    );
}
