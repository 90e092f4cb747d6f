import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useCliFixture } from '../support/cli-fixture.ts';
import { newcomerReply, QUESTIONS } from '../support/newcomer/model.ts';
import { walkNewcomerPath } from '../support/newcomer/walk.ts';

const IMAGES = join(import.meta.dirname, '../../docs/images');
const cli = useCliFixture();

it('a newcomer comes from the README to the second day', async () => {
  cli.server.setScript(newcomerReply);
  const { pictures, exitCodes } = await walkNewcomerPath(cli.home, cli.server);
  expect(exitCodes).toEqual([0, 0, 0, 0, 0, 0]);
  expect(await readFile(join(cli.home.userHome, '.bashrc'), 'utf8')).toBe(
    "export EDITOR=vi\nalias ll='ls -l'\nalias logs='ls -lS *.log'\n",
  );
  // The second day knows all of the first, and that its last answer never came.
  const asked = cli.server.requests.at(-1)?.messages.filter(({ role }) => role === 'user') ?? [];
  expect(asked.map(({ text }) => text)).toEqual([QUESTIONS.first, QUESTIONS.edit, QUESTIONS.long, QUESTIONS.nextDay]);
  for (const [name, svg] of pictures) {
    const kept = await readFile(join(IMAGES, `${name}.svg`), 'utf8');
    expect(svg, `docs/images/${name}.svg is not what is shown now: node scripts/screenshots.mjs`).toBe(kept);
  }
  expect([...pictures.keys()].map((name) => `${name}.svg`).sort()).toEqual((await readdir(IMAGES)).sort());
}, 60_000);
