import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createProviderServer, createTemporaryHome, type TemporaryHome } from '../../src/testing/index.ts';
import { newcomerReply, QUESTIONS } from '../support/newcomer/model.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { walkNewcomerPath } from '../support/newcomer/walk.ts';

const IMAGES = join(import.meta.dirname, '../../docs/images');

/**
 * Creates a home below `/tmp`. Long lines that contain its path wrap, so the path must be as long as the one in
 * docs/images.
 */
function createShortHome(): Promise<TemporaryHome> {
  const { TMPDIR } = process.env;
  vi.stubEnv('TMPDIR', '/tmp');
  const home = createTemporaryHome();
  vi.stubEnv('TMPDIR', TMPDIR);
  return home;
}

it('a new user gets from the README to the second day', fullDoseOnly, async () => {
  await using home = await createShortHome();
  await using server = await createProviderServer({ script: newcomerReply });
  const { pictures, exitCodes } = await walkNewcomerPath(home, server);
  expect(exitCodes).toEqual([0, 0, 0, 0, 0, 0, 0]);
  expect(await readFile(join(home.userHome, '.bashrc'), 'utf8')).toBe(
    "export EDITOR=vi\nalias ll='ls -l'\nalias logs='ls -lS *.log'\n",
  );
  // The second day has the whole history of the first, including the interrupted answer.
  const { first, edit, long, nextDay, tasks } = QUESTIONS;
  const last = server.requests.findLast(({ lastUserText }) => lastUserText === tasks);
  const asked = last?.messages.filter(({ role }) => role === 'user') ?? [];
  expect(asked.map(({ text }) => text)).toEqual([first, edit, long, nextDay, tasks]);
  for (const [name, svg] of pictures) {
    const kept = await readFile(join(IMAGES, `${name}.svg`), 'utf8');
    expect(svg, `docs/images/${name}.svg is not what is shown now: node scripts/screenshots.mjs`).toBe(kept);
  }
  const saved = (await readdir(IMAGES)).filter((name) => name.endsWith('.svg'));
  expect([...pictures.keys()].map((name) => `${name}.svg`).sort()).toEqual(saved.sort());
});
