import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { temporaryFolders } from '../files/file-guard.ts';
import { createApprovalGuard } from '../index.ts';

const HOME = '/home/ann';
const guard = createApprovalGuard({ home: HOME, hermesHome: `${HOME}/.hermes` });
const verdictOf = async (command: string, folder = `${HOME}/project`) =>
  `${(await guard.judgeCommand(command, folder)).verdict}: ${command}`;

const name = fc.stringMatching(/^[a-z]{3,10}$/);
/** Files of the user, in every spelling of their folder. */
const outside = fc
  .tuple(
    fc.constantFrom('~', '$HOME', '${HOME}', HOME, '..', '../../ann', '/home/ann/project/..', '~ann'),
    fc.constantFrom('', '/Documents', '/notes', '/other-project', '/Pictures/2024', '/.config/tool'),
    name,
    fc.constantFrom('.docx', '.md', '.jpg', '.ts', '', '.*', '*'),
  )
  .map(([root, folder, file, end]) => `${root}${folder}/${file}${end}`);
/** Files that belong to the project, or that programs create again. */
const inside = fc
  .tuple(
    fc.constantFrom('', './', `${HOME}/project/`, '~/project/', '/tmp/', '/var/tmp/x/', '~/.cache/', '../project/'),
    name,
    fc.constantFrom('.docx', '.log', '.ts', '.*'),
  )
  .map((parts) => parts.join(''));

const REMOVES = [
  (path: string) => `rm ${path}`,
  (path: string) => `rm -f -- ${path}`,
  (path: string) => `unlink ${path}`,
  (path: string) => `/bin/rm -v ${path}`,
  (path: string) => `sudo rm ${path}`,
  (path: string) => `timeout 5 nice rm ${path}`,
  (path: string) => `bash -c 'rm ${path}'`,
  (path: string) => `f=${path}; rm $f`,
  (path: string) => `true && { rm ${path}; }`,
];
/** Deleting through xargs needs approval inside the project as well. */
const throughXargs = (path: string) => `echo ${path} | xargs rm`;
const EMPTIES = [
  (path: string) => `> ${path}`,
  (path: string) => `: > ${path}`,
  (path: string) => `true >| ${path}`,
  (path: string) => `echo -n > ${path}`,
  (path: string) => `cp /dev/null ${path}`,
  (path: string) => `truncate -s 0 ${path}`,
  (path: string) => `cat /dev/null > ${path}`,
];

describe('files outside the project', () => {
  verifies('APPR-1', 'asks before a file of the user is deleted, in any spelling', async () => {
    await fc.assert(
      fc.asyncProperty(outside, fc.constantFrom(...REMOVES, throughXargs), async (path, spell) => {
        const line = spell(path);
        expect(await verdictOf(line)).toBe(`ask: ${line}`);
      }),
    );
  });

  verifies('APPR-1', 'asks before a file of the user is emptied, in any spelling', async () => {
    const single = outside.filter((path) => !path.includes('*'));
    await fc.assert(
      fc.asyncProperty(single, fc.constantFrom(...EMPTIES), async (path, spell) => {
        const line = spell(path);
        expect(await verdictOf(line)).toBe(`ask: ${line}`);
      }),
    );
  });

  verifies('APPR-1', 'does not ask before files of the project, temporary files and caches are deleted', async () => {
    await fc.assert(
      fc.asyncProperty(inside, fc.constantFrom(...REMOVES), async (path, spell) => {
        const line = spell(path);
        expect(await verdictOf(line)).toBe(`allow: ${line}`);
      }),
    );
    for (const line of [
      'cd ../other && rm -f a.o',
      'rm -f ~/.cache/tool/x ../server.pid',
      'ssh dev rm app/old.log',
      'docker exec web rm /srv/data.json',
      'rm "$FILE"',
      'mv ~/Downloads/logo.png src/assets/',
      'mv ~/notes.txt /tmp/',
    ])
      expect(await verdictOf(line)).toBe(`allow: ${line}`);
  });

  verifies(
    'APPR-1',
    'asks about the document folders even if the home directory is the working directory',
    async () => {
      expect(await verdictOf('rm Documents/thesis.docx', HOME)).toMatch(/^ask/);
      expect(await verdictOf('rm notes.txt', HOME)).toMatch(/^allow/);
      expect(await verdictOf('rm src/a.ts', `${HOME}/Documents/code/shop`)).toMatch(/^allow/);
      expect(await verdictOf('rm ../../thesis.docx', `${HOME}/Documents/code/shop`)).toMatch(/^ask/);
    },
  );

  // Below a temporary folder, everything may be deleted, also if the checkout is there.
  const isTemporary = temporaryFolders().some((folder) => process.cwd().startsWith(`${folder}/`));
  let root = '';
  beforeAll(() => {
    root = mkdtempSync(join(process.cwd(), 'node_modules', '.outside-'));
    mkdirSync(join(root, 'mono/.git'), { recursive: true });
    mkdirSync(join(root, 'mono/packages/api'), { recursive: true });
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  verifies('APPR-1', 'counts the whole repository and additional folders as the project', async () => {
    const folder = join(root, 'mono/packages/api');
    expect(await verdictOf('rm ../web/a.ts', folder)).toMatch(/^allow/);
    if (!isTemporary) expect(await verdictOf('rm ../../../a.ts', folder)).toMatch(/^ask/);
    const wider = createApprovalGuard({ home: HOME, workspaceRoots: [root] });
    expect((await wider.judgeCommand('rm ../../../a.ts', folder)).verdict).toBe('allow');
  });
});
