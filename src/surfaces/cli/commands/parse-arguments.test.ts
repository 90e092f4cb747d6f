import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import type { ChatOptions } from '../chat-options.ts';
import { parseArguments } from './parse-arguments.ts';

async function parse(...argv: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const io = { stdin: new PassThrough(), inputKind: 'none' as const, stdout, stderr, env: {}, workingDirectory: '/' };
  const parsed = await parseArguments(argv, io);
  return { parsed, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}

async function chatOptions(...argv: string[]): Promise<ChatOptions> {
  const { parsed } = await parse(...argv);
  if (!('request' in parsed) || parsed.request.kind !== 'chat')
    throw new Error(`not a chat: ${JSON.stringify(parsed)}`);
  return parsed.request.options;
}

describe('parseArguments', () => {
  it('treats a negative number as a mistyped option', async () => {
    for (const argv of [['-1'], ['-0.5', 'or', 'more'], ['-1', 'config']]) {
      const { parsed } = await parse(...argv);
      expect([argv, parsed]).toEqual([argv, { exitCode: 2, message: expect.stringMatching(/^Unknown option `-/) }]);
    }
    expect(await chatOptions('-q', '-1')).toMatchObject({ prompt: '-1' });
    expect(await chatOptions('--', '-1')).toMatchObject({ prompt: '-1' });
  });

  verifies('SURF-1', 'accepts a prompt in quotes, with -q or with -z, with or without the command name', async () => {
    expect(await chatOptions('what is this')).toMatchObject({ prompt: 'what is this', once: false, output: 'text' });
    expect(await chatOptions('-q', 'why')).toMatchObject({ prompt: 'why', once: true, output: 'text' });
    expect(await chatOptions('chat', '-z', 'why')).toMatchObject({ prompt: 'why', once: true, output: 'final' });
    expect(await chatOptions('--json', 'why so')).toMatchObject({ prompt: 'why so', once: true, output: 'json' });
    expect(await chatOptions()).toMatchObject({ prompt: undefined, once: false });
  });

  verifies('SURF-1', 'accepts options before and after the command name', async () => {
    const wanted = { yolo: true, maxTurns: 7, model: 'm', provider: 'p', quiet: true, resume: 'id', usageFile: 'f' };
    const options = ['--yolo', '--max-turns', '7', '--model', 'm', '--provider', 'p', '--quiet', '--resume', 'id'];
    expect(await chatOptions(...options, '--usage-file', 'f', 'chat', 'hi')).toMatchObject(wanted);
    expect(await chatOptions('chat', ...options, '--usage-file', 'f', 'hi')).toMatchObject({ ...wanted, prompt: 'hi' });
    expect(await chatOptions('--continue')).toMatchObject({ continueLatest: true, resume: undefined });
    expect(await chatOptions('-c', 'Title', '-q', 'x')).toMatchObject({ continueLatest: false, resume: 'Title' });
    expect(await chatOptions('--if-busy', 'branch', '-c')).toMatchObject({ continueLatest: true, ifBusy: 'branch' });
  });

  it('accepts several attachments', async () => {
    for (const command of [[], ['chat']]) {
      expect(await chatOptions(...command, '--image', 'a.png', '--image', 'b.pdf', 'what?')).toMatchObject({
        images: ['a.png', 'b.pdf'],
        prompt: 'what?',
      });
    }
    expect((await chatOptions('what?')).images).toEqual([]);
  });

  it('parses the other commands', async () => {
    expect((await parse('setup', '--provider', 'x', '--model', 'y', '--api-key-env', 'V')).parsed).toEqual({
      request: { kind: 'command', run: expect.any(Function) },
    });
    for (const argv of ['sessions list', 'sessions show x', 'sessions search two words', 'doctor', 'insights']) {
      const request = { kind: 'command', run: expect.any(Function) };
      expect([argv, (await parse(...argv.split(' '))).parsed]).toEqual([argv, { request }]);
    }
    expect((await parse('config', 'path')).parsed).toEqual({ request: { kind: 'command', run: expect.any(Function) } });
  });

  verifies('SURF-1', 'shows help at every level', async () => {
    const names = 'list browse show search watch export import rename branch delete prune stats optimize repair'.split(
      ' ',
    );
    const paths = [[], ['chat'], ['setup'], ['sessions'], ['config'], ['config', 'path'], ['doctor'], ['insights']];
    for (const path of [...paths, ...names.map((name) => ['sessions', name])]) {
      const { parsed, out } = await parse(...path, '--help');
      expect(parsed).toEqual({ exitCode: 0, message: expect.any(String) });
      expect(out).toContain(`Usage: ${['hermes', ...path].join(' ')}`);
    }
  });

  verifies('SURF-13', 'rejects invalid usage with exit code 2 and a message', async () => {
    for (const argv of [
      ['--nonsense'],
      ['--max-turns', 'many', 'x'],
      ['--max-turns', '0', 'x'],
      ['-q'],
      ['sessions'],
    ]) {
      const { parsed, out, err } = await parse(...argv);
      expect([argv, parsed]).toEqual([argv, { exitCode: 2, message: expect.stringMatching(/^[A-Z`].*\S\.$/) }]);
      expect(out).toBe('');
      expect(err).not.toBe('');
    }
    await expect(parse('-q', 'a', '-z', 'b')).rejects.toThrow(/More than one prompt/);
  });
});
