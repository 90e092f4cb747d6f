import { existsSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createTemporaryHome, type TemporaryHome } from './temporary-home.ts';

it('contains the given files with private permissions, and a workspace outside the home', async () => {
  await using home = await createTemporaryHome({ 'config.yaml': 'model: {}\n', 'skills/a/SKILL.md': 'text' });
  expect(await home.read('config.yaml')).toBe('model: {}\n');
  expect(await home.read('skills/a/SKILL.md')).toBe('text');
  expect(statSync(home.path).mode & 0o077).toBe(0);
  expect(home.workspace.startsWith(home.path)).toBe(false);
  await home.write('.env', 'A=1');
  expect(await home.read('.env')).toBe('A=1');
});

it('is removed at the end of its scope', async () => {
  let seen: TemporaryHome | undefined;
  {
    await using home = await createTemporaryHome();
    seen = home;
    expect(existsSync(home.workspace)).toBe(true);
  }
  expect(existsSync(seen.userHome)).toBe(false);
  await seen.remove();
});

it('writes nothing outside the home', async () => {
  await using home = await createTemporaryHome();
  await expect(home.write('../other', 'x')).rejects.toThrow('"../other" is not a file inside the temporary home.');
});
