import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import type { DumpOptions } from './dump.ts';

const EXAMPLES = `
Read it before you hand it on: secrets are taken out, names of models, hosts and folders are not.

Examples:
  hermes dump
  hermes dump > report.txt`;

export function describeDump(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const dump = program.command('dump').description('write what a bug report needs, without secrets');
  if (!inFull) return;
  dump
    .option('--json', 'answer with JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: DumpOptions) => found(async (io) => (await import('./dump.ts')).writeDump(options, io)));
}
