import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { INSTRUCTIONS_FILE, initPrompt } from '../../../prompt/index.ts';
import { chat } from '../chat.ts';
import type { CliRun } from '../cli-run.ts';
import { toChatOptions } from '../commands/chat-command.ts';
import { writeNotice } from '../report-error.ts';
import { confirm } from '../sessions/confirm.ts';

export type InitOptions = { yes?: boolean; model?: string; provider?: string };

/** Runs a turn that writes the instructions for agents; existing ones are revised only after confirmation. */
export async function initProject({ yes, model, provider }: InitOptions, run: CliRun): Promise<number> {
  const { io } = run;
  const file = join(io.workingDirectory, INSTRUCTIONS_FILE);
  const exists = existsSync(file);
  const why = `${INSTRUCTIONS_FILE} exists already`;
  if (exists && !(await confirm(`${why}. Revise it?`, yes, io, why))) return 1;
  const code = await chat(toChatOptions([], { query: initPrompt(exists), model, provider }), run);
  if (code !== 0) return code;
  if (existsSync(file)) {
    writeNotice(
      io,
      `New sessions in this directory read ${INSTRUCTIONS_FILE}. Check it, and commit it with the project.`,
    );
    return 0;
  }
  writeNotice(io, `The model did not write ${INSTRUCTIONS_FILE}.`);
  return 1;
}
