import type { ConfigFile } from './schema.ts';

/** A command that the owner has defined: it runs a shell command, or stands for another slash command. */
export type QuickCommand = { name: string } & ({ type: 'exec'; command: string } | { type: 'alias'; target: string });

type QuickCommandValues = NonNullable<ConfigFile['quick_commands']>;

/** Reads `quick_commands`. A command that cannot work is reported and left out. */
export function readQuickCommands(values: QuickCommandValues, onProblem: (problem: string) => void): QuickCommand[] {
  return Object.entries(values).flatMap(([written, { type = 'exec', command, target }]): QuickCommand[] => {
    const name = written.toLowerCase().replace(/^\//, '');
    if (type === 'exec' && command !== undefined) return [{ name, type, command }];
    if (type === 'alias' && target !== undefined) return [{ name, type, target }];
    const missing = type === 'alias' ? 'target' : 'command';
    onProblem(
      type === 'exec' || type === 'alias'
        ? `quick_commands.${written} has no ${missing}.`
        : `quick_commands.${written}.type must be exec or alias.`,
    );
    return [];
  });
}
