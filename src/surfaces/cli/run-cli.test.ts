import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createTextSink } from '../../../test/support/text-sink.ts';
import { createTemporaryHome, type TemporaryHome } from '../../testing/index.ts';
import { main } from './main.ts';

describe('runCli', () => {
  let home: TemporaryHome;
  beforeEach(async () => {
    home = await createTemporaryHome();
  });
  afterEach(() => home.remove());

  async function run(argv: string[], changes: { stdin?: Readable } = {}) {
    const [stdout, stderr] = [createTextSink(), createTextSink()];
    const stdin = changes.stdin ?? new PassThrough().end();
    const env = { HERMES_HOME: home.path };
    const exitCode = await main(argv, {
      stdin,
      inputKind: 'stream',
      stdout,
      stderr,
      env,
      workingDirectory: home.workspace,
    });
    return { exitCode, stdout: stdout.text, stderr: stderr.text };
  }

  verifies(
    ['BOUND-2', 'SURF-13'],
    'reports an internal error in two lines and writes the stack trace to the log',
    async () => {
      const stdin = new Readable({
        read() {
          this.destroy(new TypeError('a broken stream with sk-abcdefghijklmnopqrst'));
        },
      });
      const { exitCode, stdout, stderr } = await run(['--provider', 'demo', '--json', '-q', 'hi'], { stdin });
      expect(exitCode).toBe(1);
      expect(stderr.trimEnd().split('\n')).toHaveLength(2);
      expect(stderr).toContain('logs/agent.log');
      expect(stderr).not.toContain('ghijklmnop');
      expect(JSON.parse(stdout)).toMatchObject({ v: 1, type: 'result', exit_code: 1 });
      expect(await home.read('logs/agent.log')).toMatch(/TypeError.*stack/);
    },
  );

  it('removes its listeners', async () => {
    const before = process.listenerCount('uncaughtException');
    await run(['config', 'path']);
    expect(process.listenerCount('uncaughtException')).toBe(before);
  });
});
