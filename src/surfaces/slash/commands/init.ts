import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { INSTRUCTIONS_FILE, initPrompt } from '../../../prompt/index.ts';
import type { SlashContext } from '../slash-context.ts';

/** `/init`: runs a turn that writes the instructions for agents; existing ones are revised only on request. */
export async function initCommand(context: SlashContext, argument: string): Promise<void> {
  const { turns, terminal, print, workingDirectory } = context;
  if (argument !== '' && argument !== 'update') return print('Usage: /init [update]\n');
  const exists = existsSync(join(workingDirectory, INSTRUCTIONS_FILE));
  if (exists && argument === '') {
    const question = `${INSTRUCTIONS_FILE} exists already. Revise it? [y/N] `;
    const answer = await terminal?.ask(question);
    if (!/^\s*y(es)?\s*$/i.test(answer ?? '')) {
      return print(`${INSTRUCTIONS_FILE} was not changed. /init update revises it.\n`);
    }
  }
  await turns.send(exists ? '/init update' : '/init', initPrompt(exists));
}
