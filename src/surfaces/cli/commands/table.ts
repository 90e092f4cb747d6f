import type { Command } from 'commander';
import { addCommand, buildProgram } from './build-command.ts';
import type { CommandRow } from './command-row.ts';
import { ABILITY_COMMANDS } from './groups/ability-commands.ts';
import { GUARD_COMMANDS } from './groups/guard-commands.ts';
import { HOME_COMMANDS } from './groups/home-commands.ts';
import { MODEL_COMMANDS } from './groups/model-commands.ts';
import { SESSION_COMMANDS } from './groups/session-commands.ts';
import { STATUS_COMMANDS } from './groups/status-commands.ts';
import { TRAINING_COMMANDS } from './groups/training-commands.ts';

/** All commands in the order of help and reference. Loaded only if an argument may be a command. */
export const COMMANDS: readonly CommandRow[] = [
  ...SESSION_COMMANDS,
  ...TRAINING_COMMANDS,
  ...MODEL_COMMANDS,
  ...ABILITY_COMMANDS,
  ...GUARD_COMMANDS,
  ...STATUS_COMMANDS,
  ...HOME_COMMANDS,
];

/** The complete parser with all commands, for completion scripts and the reference. */
export function buildEverything(): Command {
  const program = buildProgram(ignore, ignore);
  for (const row of COMMANDS) addCommand(program, row, ignore);
  return program;
}

function ignore(): void {}
