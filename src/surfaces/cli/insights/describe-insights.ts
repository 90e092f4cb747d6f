import type { Command } from 'commander';
import type { CommandRun } from '../chat-options.ts';
import { examples } from '../help/examples.ts';
import { parseCount } from '../parse-count.ts';
import type { InsightsOptions } from './insights.ts';

export function describeInsights(program: Command, found: (run: CommandRun) => void, inFull: boolean): void {
  const insights = program
    .command('insights')
    .description('show what was done and spent: tokens, cost, models, tools, active hours')
    .summary('what was done and spent');
  if (!inFull) return;
  insights
    .option('--days <n>', 'how many days back', parseCount, 30)
    .option('--source <name>', 'only sessions from there, such as cli')
    .option('--json', 'answer with JSON')
    .addHelpText('after', examples('hermes insights --days 7', 'hermes insights --source cli --json'))
    .action((options: InsightsOptions) =>
      found(async (io) => (await import('./insights.ts')).showInsights(options, io)),
    );
}
