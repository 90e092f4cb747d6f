import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { useCliFixture } from '../../../../test/support/cli-fixture.ts';
import { createTextSink } from '../../../../test/support/text-sink.ts';
import { createStyle } from '../style.ts';
import { initCommand } from '../../slash/commands/init.ts';
import type { SlashContext } from '../../slash/index.ts';
import { main } from '../main.ts';

const fixture = useCliFixture();

async function run(argv: string[]) {
  await mkdir(fixture.home.workspace, { recursive: true });
  const [stdout, stderr] = [createTextSink(), createTextSink()];
  const exitCode = await main(argv, {
    stdin: new PassThrough().end(),
    inputKind: 'stream',
    stdout,
    stderr,
    env: { HERMES_HOME: fixture.home.path },
    workingDirectory: fixture.home.workspace,
  });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

const file = () => join(fixture.home.workspace, 'AGENTS.md');
const writing = { toolCalls: [{ name: 'write_file', arguments: { path: 'AGENTS.md', content: '# Project\n' } }] };

describe('hermes init', () => {
  it('writes AGENTS.md with a turn that reads the project first', async () => {
    await fixture.configure();
    fixture.server.setScript([writing, { text: 'Written.' }]);
    const { exitCode, stdout, stderr } = await run(['init']);
    expect({ exitCode, stdout: stdout.trim() }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Written.'),
    });
    expect(await readFile(file(), 'utf8')).toBe('# Project\n');
    expect(stderr).toContain('New sessions in this directory read AGENTS.md');
    const sent = JSON.stringify(fixture.server.requests[0]?.body);
    expect(sent).toContain('Write AGENTS.md in the working directory.');
    expect(sent).toContain('First read the project');
  });

  it('does not touch an existing file without a confirmation', async () => {
    await fixture.configure();
    await mkdir(fixture.home.workspace, { recursive: true });
    await writeFile(file(), 'Mine.\n');
    const refused = await run(['init']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/AGENTS\.md exists already\. .*--yes/s);
    expect(fixture.server.requests).toHaveLength(0);
    fixture.server.setScript([{ text: 'Revised.' }]);
    expect((await run(['init', '--yes'])).exitCode).toBe(0);
    expect(JSON.stringify(fixture.server.requests[0]?.body)).toContain('Revise AGENTS.md in the working directory.');
    expect(await readFile(file(), 'utf8')).toBe('Mine.\n');
  });

  it('fails if the model wrote nothing', async () => {
    await fixture.configure();
    fixture.server.setScript([{ text: 'No.' }]);
    const { exitCode, stderr } = await run(['init']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('The model did not write AGENTS.md.');
    expect(existsSync(file())).toBe(false);
  });
});

describe('/init', () => {
  async function call(argument: string, answer?: string) {
    await mkdir(fixture.home.workspace, { recursive: true });
    const sent: (string | undefined)[] = [];
    let printed = '';
    const context = {
      workingDirectory: fixture.home.workspace,
      style: createStyle(createTextSink(), {}),
      print: (text: string) => void (printed += text),
      turns: { send: async (_: string, prompt?: string) => void sent.push(prompt) },
      terminal: { ask: async () => answer },
    } as unknown as SlashContext;
    await initCommand(context, argument);
    return { sent, printed };
  }

  it('sends the prompt, and asks before it revises a file', async () => {
    expect((await call('')).sent[0]).toMatch(/^Write AGENTS\.md/);
    await writeFile(file(), 'Mine.\n');
    expect(await call('', 'n')).toEqual({ sent: [], printed: expect.stringContaining('was not changed') });
    expect((await call('')).sent).toEqual([]);
    expect((await call('', 'y')).sent[0]).toMatch(/^Revise AGENTS\.md/);
    expect((await call('update')).sent[0]).toMatch(/^Revise AGENTS\.md/);
    expect((await call('else')).printed).toContain('Usage: /init');
  });
});
