import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { parseNames } from '../parse-names.ts';
import type { ReplayCommand } from './replay.ts';

const NOTES = `
Nobody is asked, no tool runs and nothing is stored. Ends with 1 where something would be different today.
${examples('hermes replay 20261104_0912', "hermes replay 20261104_0912 --json | jq -r '.steps[].hash'")}`;

export function describeReplay(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const replay = program
    .command('replay')
    .description('run a stored session again with its recorded answers, offline, and show where requests would differ')
    .summary('run a stored session again, offline, and compare');
  if (!inFull) return;
  replay
    .argument('<session>', 'its id, the beginning of one, or its title')
    .option('-m, --model <name>', 'as if this model were asked')
    .option('--provider <name>', 'as if this provider were asked')
    .option('-t, --toolsets <names>', 'as if these tool sets were asked for', parseNames)
    .option('--json', 'answer with JSON')
    .addHelpText('after', NOTES)
    .action((session: string, options: ReplayCommand) =>
      found(async (io) => (await import('./replay.ts')).showReplay(session, options, io)),
    );
}
