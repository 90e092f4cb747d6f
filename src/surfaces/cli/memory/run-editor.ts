import { once } from 'node:events';
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

/** Opens a file in an editor and waits until the editor exits. */
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
  throw new HermesError(`The editor exited with ${code === null ? 'a signal' : `code ${code}`}; nothing was saved.`, {
    hint: `Your text is in ${file}.`,
  });
}
