import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { storeSession } from '../../../../bench/replay/store-session.ts';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createTemporaryHome } from '../../../testing/index.ts';
import type { CliIo } from '../cli-io.ts';
import { showReplay } from './replay.ts';

/** Replays a session of 40 messages; stderr or stdout may be a terminal. */
async function replay(options: { json?: boolean }, terminal: 'stdout' | 'stderr') {
  const home = await createTemporaryHome();
  try {
    const id = await storeSession(home.path, 40);
    const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
    Object.assign(streams[terminal], { isTTY: true, columns: 80 });
    const io: CliIo = {
      ...streams,
      stdin: new PassThrough().end(),
      inputKind: 'none',
      env: { HERMES_HOME: home.path },
      workingDirectory: home.workspace,
    };
    const written = Promise.all([text(streams.stdout), text(streams.stderr)]);
    const exitCode = await showReplay(id, options, io);
    streams.stdout.end();
    streams.stderr.end();
    const [stdout, stderr] = await written;
    return { exitCode, stdout, stderr };
  } finally {
    await home.remove();
  }
}

verifies('OBS-3', 'a replay shows its progress on stderr if its output goes elsewhere, and removes it', async () => {
  for (const json of [true, false]) {
    const { stdout, stderr } = await replay({ json }, 'stderr');
    expect(stderr).toMatch(/replayed 1 of 20 requests/);
    expect(stderr.endsWith('\r\u001b[K')).toBe(true);
    expect(stdout).not.toContain('replayed');
  }
  expect((await replay({}, 'stdout')).stderr).toBe('');
});

verifies('OBS-3', 'the JSON of a replay is one object, whatever the number of steps', async () => {
  const { stdout, exitCode } = await replay({ json: true }, 'stdout');
  const replayed = JSON.parse(stdout) as { session_id: string; steps: { step: number }[]; same: boolean };
  expect(replayed.steps.map(({ step }) => step)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect([replayed.same, exitCode]).toEqual([false, 1]);
  // The layout of every other command, too.
  expect(stdout).toBe(`${JSON.stringify(replayed, null, 2)}\n`);
});
