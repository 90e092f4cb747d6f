import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fullDoseOnly } from './support/dose.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = join(ROOT, 'docs/reference');
const temporary = join(tmpdir(), 'hermes-reference');

function run(...words: string[]) {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/reference.mjs', ...words], {
    cwd: ROOT,
    encoding: 'utf8' as const,
  });
  return { status, stderr };
}

function read(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

beforeAll(() => mkdirSync(temporary));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

describe('the reference pages', () => {
  it('are generated deterministically from the sources, and those in docs are current', fullDoseOnly, () => {
    expect(run(temporary).status).toBe(0);
    expect(read(temporary)).toEqual(read(FOLDER));
  });

  it('have valid links', () => {
    const pages = read(FOLDER);
    for (const [name, text] of Object.entries(pages)) {
      const anchors = new Set([...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title)));
      const targets = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
      const leads = (target: string) =>
        target.startsWith('#') ? anchors.has(target.slice(1)) : existsSync(join(FOLDER, target));
      expect([name, targets.filter((target) => !leads(target))]).toEqual([name, []]);
    }
  });

  it('that were edited, are missing or are superfluous are reported', fullDoseOnly, () => {
    appendFileSync(join(temporary, 'tools.md'), 'more\n');
    rmSync(join(temporary, 'commands.md'));
    writeFileSync(join(temporary, 'old.md'), 'old\n');
    const { status, stderr } = run('--check', temporary);
    expect(status).toBe(1);
    expect(stderr).toContain('commands.md, tools.md, old.md. Run `npm run reference`');
    expect(run(temporary).status).toBe(0);
    expect(run('--check', temporary).status).toBe(0);
  });
});

function anchorOf(title: string): string {
  return title.toLowerCase().replaceAll(' ', '-');
}
