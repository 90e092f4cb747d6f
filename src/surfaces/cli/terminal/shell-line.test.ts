import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createTextSink } from '../../../../test/support/text-sink.ts';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createLocalEnvironment } from '../../../environments/index.ts';
import { createStyle } from '../style.ts';
import { createShellLines, isShellLine } from './shell-line.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/hermes-shell-`);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open() {
  const environment = createLocalEnvironment({ workingDirectory: folder });
  onTestFinished(() => environment.close());
  const out = createTextSink();
  const shell = createShellLines({
    environment: () => environment,
    turns: { work: (_, task) => task(new AbortController().signal) },
    terminal: { print: (text) => void out.write(text), style: createStyle(out, {}) },
  });
  return { shell, out };
}

it('shows the output of a command and sends it once, with the next message', async () => {
  const { shell, out } = open();
  await shell.run('! echo one; exit 3');
  expect(out.text).toContain('one\n(exit code 3)\n');
  const sent = 'I ran this command myself. Its output:\n\n$ echo one; exit 3\none\n(exit code 3)\n\nwhy?';
  expect(shell.withPendingOutput('why?')).toBe(sent);
  expect(shell.withPendingOutput('why?')).toBe(sent);
  shell.discardPendingOutput();
  expect(shell.withPendingOutput('again')).toBeUndefined();
});

it('does not send the output of !! to the model', async () => {
  const { shell, out } = open();
  await shell.run('!!echo two');
  expect(out.text).toContain('two\n');
  expect(shell.withPendingOutput('hello')).toBeUndefined();
});

verifies('OBS-4', 'redacts secrets on the screen and in the message', async () => {
  const { shell, out } = open();
  const secret = `sk-ant-api03-${'a1B2'.repeat(12)}`;
  await shell.run(`!echo ${secret}`);
  expect(out.text).not.toContain(secret);
  expect(shell.withPendingOutput('?')).not.toContain(secret);
});

it('requires a command after the exclamation mark', () => {
  expect(['!ls', '! ls -l', '!!ls'].map(isShellLine)).toEqual([true, true, true]);
  expect(['!', '!!', '! ', 'wow!', '!!!', ' !ls'].map(isShellLine)).toEqual(Array.from({ length: 6 }, () => false));
});
