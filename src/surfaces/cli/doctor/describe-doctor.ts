import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import type { DoctorOptions } from './doctor.ts';

const EXAMPLES = examples('hermes doctor', 'hermes doctor --offline', 'hermes doctor --fix');

export function describeDoctor(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const doctor = program
    .command('doctor')
    .description('check home, configuration, keys, models and session database, and say what to do')
    .summary('check that everything works, and say what to do');
  if (!inFull) return;
  doctor
    .option('--offline', 'ask no host whether it answers, takes the key and has the model')
    .option('--fix', 'mend what is safe: rights of files, missing folders, the search index; asks first')
    .option('-y, --yes', 'do not ask')
    .option('--json', 'answer with JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: DoctorOptions) =>
      found(async (io, signal) => (await import('./doctor.ts')).doctor(options, io, signal)),
    );
}
