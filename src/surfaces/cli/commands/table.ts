import type { Command } from 'commander';
import { addCommand, buildProgram } from './build-command.ts';
import type { CommandRow } from './command-row.ts';
import { TOOL_COMMANDS } from './groups/tool-commands.ts';
import { PERMISSION_COMMANDS } from './groups/permission-commands.ts';
import { CONFIG_COMMANDS } from './groups/config-commands.ts';
import { CRON_COMMANDS } from './groups/cron-commands.ts';
import { GATEWAY_COMMANDS } from './groups/gateway-commands.ts';
import { EDITOR_COMMANDS } from './groups/editor-commands.ts';
import { SERVER_COMMANDS } from './groups/server-commands.ts';
import { MODEL_COMMANDS } from './groups/model-commands.ts';
import { SESSION_COMMANDS } from './groups/session-commands.ts';
import { DIAGNOSTIC_COMMANDS } from './groups/diagnostic-commands.ts';
import { TRAINING_COMMANDS } from './groups/training-commands.ts';

/** All commands in the order of help and reference. Loaded only if an argument may be a command. */
export const COMMANDS: readonly CommandRow[] = [
  ...SESSION_COMMANDS,
  ...TRAINING_COMMANDS,
  ...GATEWAY_COMMANDS,
  ...CRON_COMMANDS,
  ...SERVER_COMMANDS,
  ...EDITOR_COMMANDS,
  ...MODEL_COMMANDS,
  ...TOOL_COMMANDS,
  ...PERMISSION_COMMANDS,
  ...DIAGNOSTIC_COMMANDS,
  ...CONFIG_COMMANDS,
];

/** The complete parser with all commands, for completion scripts and the reference. */
export function buildFullProgram(): Command {
  const program = buildProgram(ignore, ignore);
  for (const row of COMMANDS) addCommand(program, row, ignore);
  return program;
}

function ignore(): void {}
