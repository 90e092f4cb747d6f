import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigurationError, HermesError } from '../../../base/index.ts';
import type { CliIo } from '../cli-io.ts';

/** The user's editor, from $VISUAL or $EDITOR. */
export function findEditor({ env }: CliIo, command: string): string {
  const editor = env['VISUAL']?.trim() || env['EDITOR']?.trim();
  if (editor) return editor;
  throw new ConfigurationError('No editor is configured: neither VISUAL nor EDITOR is set.', {
    hint: `Set one of them, for example: EDITOR=nano ${command}`,
  });
}

/** The exit code of a shell for a command that does not exist. */
const NOT_FOUND = 127;

/** Opens a file in a temporary folder in an editor and waits until the editor exits. */
export async function runEditor(editor: string, file: string, io: CliIo, signal: AbortSignal): Promise<void> {
  const { spawn } = await import('node:child_process');
  // Run by a shell, because the variable may contain options. The path is passed as an argument, so the shell does
  // not parse it.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'editor', file], {
    stdio: 'inherit',
    env: io.env,
    signal,
  });
  const [code] = (await once(child, 'close').catch((thrown: unknown) => {
    signal.throwIfAborted();
    throw thrown;
  })) as [number | null];
  if (code === 0) return;
  if (code === NOT_FOUND) {
    await rm(dirname(file), { recursive: true, force: true });
    throw new ConfigurationError(`The editor "${editor}" was not found.`, {
      hint: 'Set VISUAL or EDITOR to an installed editor, such as nano. Nothing was changed.',
    });
  }
  throw new HermesError(
    `The editor "${editor}" ${code === null ? 'was killed by a signal' : `exited with code ${code}`}. Nothing was saved.`,
    {
      hint: `Your text is in ${file}.`,
    },
  );
}
