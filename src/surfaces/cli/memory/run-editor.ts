import { once } from 'node:events';
import { ConfigurationError, HermesError } from '../../../base/index.ts';
import type { CliIo } from '../cli-io.ts';

/** The editor that the person has chosen. */
export function findEditor({ env }: CliIo, command: string): string {
  const editor = env['VISUAL']?.trim() || env['EDITOR']?.trim();
  if (editor) return editor;
  throw new ConfigurationError('Neither VISUAL nor EDITOR says which editor to use.', {
    hint: `Set one of them, for example: EDITOR=nano ${command}`,
  });
}

/** Opens a file in an editor and waits until it is closed. */
export async function runEditor(editor: string, file: string, io: CliIo, signal: AbortSignal): Promise<void> {
  const { spawn } = await import('node:child_process');
  // Through a shell, because an editor may have options; the path is an argument and not part of what the shell reads.
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
  throw new HermesError(`The editor ended with ${code === null ? 'a signal' : `code ${code}`}; nothing was saved.`, {
    hint: `Your text is in ${file}.`,
  });
}
