import { chmod, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scaledRuns } from '../../../test/support/dose.ts';
import { verifies } from '../../../test/spec/verifies.ts';
import type { Environment } from '../../contracts/index.ts';
import { describeEnvironment, PROCESS_GROUPS } from '../conformance.ts';
import { variablesWithSecret } from '../conformance/bench.ts';
import { createExitTasks } from '../exit-tasks.ts';
import { openConfinement } from './confinement.ts';
import { createSandboxEnvironment } from './sandbox.ts';
import type { SandboxView } from './sandbox-view.ts';
import { createInterpreter, parseProfile, type Request } from './seatbelt.fixture.ts';
import { type ProfileFacts, quoteProfileString, seatbeltProfile } from './seatbelt-profile.ts';

const PROJECT = '/Users/me/project';
const FOLDER = '/private/var/folders/xy/T/hermes-sandbox-1';
const VIEW: SandboxView = {
  workingDirectory: PROJECT,
  network: false,
  hidden: [],
  folder: FOLDER,
  visible: [{ path: FOLDER, writable: true }],
};
const FACTS: ProfileFacts = {
  hidden: ['/Users/me/.ssh', '/Users/me/.hermes', '/Users/me/Library/Keychains', `${PROJECT}/deep/own-home`],
  temporaryFolders: ['/private/tmp', '/private/var/folders/xy/T'],
  guards: [
    {
      writable: [`${PROJECT}/.git`],
      readOnly: [`${PROJECT}/.git/hooks`, `${PROJECT}/.git/config`],
      forbidden: [`${PROJECT}/.git/config.worktree`],
    },
    { writable: [`${PROJECT}/.hermes`], readOnly: [`${PROJECT}/.hermes/plugins`], forbidden: [] },
  ],
};

function decide(view: Partial<SandboxView> = {}, facts: Partial<ProfileFacts> = {}) {
  const allows = createInterpreter(seatbeltProfile({ ...VIEW, ...view }, { ...FACTS, ...facts }));
  const file = (operation: string) => (path: string) => allows({ operation, path });
  return {
    allows,
    reads: file('file-read-data'),
    writes: file('file-write-data'),
    creates: file('file-write-create'),
    removes: file('file-write-unlink'),
    connects: (path: string) => allows({ operation: 'network-outbound', path, isUnixSocket: true }),
  };
}

describe('the Seatbelt profile', () => {
  const { allows, reads, writes, creates, removes, connects } = decide();

  verifies(['TOOL-6', 'APPR-7'], 'allows writes only to the working directory and the private temporary folder', () => {
    for (const path of [`${PROJECT}/a/b`, `${FOLDER}/tmp/x`, '/dev/null'])
      expect([path, writes(path), reads(path)]).toEqual([path, true, true]);
    for (const path of ['/Users/me/.zshrc', '/Users/me/project2/a', '/etc/hosts', '/private/tmp/x', '/', '/dev/disk0'])
      expect([path, writes(path), creates(path)]).toEqual([path, false, false]);
    expect([reads('/Users/me/other'), reads('/usr/bin/git'), reads('/etc/hosts')]).toEqual([true, true, true]);
  });

  verifies(['TOOL-6', 'APPR-7'], 'hides credentials, the homes of Hermes and the temporary files of others', () => {
    const hidden = [
      '/Users/me/.ssh',
      '/Users/me/.ssh/id',
      '/Users/me/.hermes/.env',
      `${PROJECT}/deep/own-home/state.db`,
    ];
    for (const path of [...hidden, '/private/tmp/other', '/private/var/folders/xy/T/other']) {
      const operations = ['file-read-data', 'file-read-metadata', 'file-test-existence', 'file-write-create'];
      expect([path, ...operations.map((operation) => allows({ operation, path }))]).toEqual([
        path,
        ...operations.map(() => false),
      ]);
      expect(connects(path)).toBe(false);
    }
  });

  verifies('TOOL-6', 'protects what git and Hermes run outside the sandbox', () => {
    for (const path of ['.git/hooks/pre-commit', '.git/hooks', '.git/config', '.hermes/plugins/a/index.js']) {
      const whole = join(PROJECT, path);
      expect([path, reads(whole), writes(whole), creates(whole), removes(whole)]).toEqual([
        path,
        true,
        false,
        false,
        false,
      ]);
    }
    expect(creates(`${PROJECT}/.git/config.worktree`)).toBe(false);
    for (const path of ['.git/index', '.git/objects/ab/cd', '.hermes/notes'])
      expect([path, creates(join(PROJECT, path)), removes(join(PROJECT, path))]).toEqual([path, true, true]);
  });

  it('does not let a command rename a folder above something protected', () => {
    for (const path of ['', '/.git', '/.hermes', '/deep'])
      expect([path, removes(`${PROJECT}${path}`)]).toEqual([path, false]);
    expect(removes(`${PROJECT}/deep/other`)).toBe(true);
    expect(allows({ operation: 'file-link', path: `${PROJECT}/.git/config` })).toBe(false);
  });

  it('shows a place inside a hidden folder, and the way to it', () => {
    const workingDirectory = '/private/tmp/work/project';
    const { reads: sees, writes: changes, allows: may } = decide({ workingDirectory }, { guards: [] });
    expect([sees(`${workingDirectory}/a`), changes(`${workingDirectory}/a`)]).toEqual([true, true]);
    const metadata = (path: string) => may({ operation: 'file-read-metadata', path });
    expect(['/private/tmp', '/private/tmp/work', '/private/tmp/work/other'].map(metadata)).toEqual([true, true, false]);
    expect([sees('/private/tmp/work'), sees('/private/tmp/other')]).toEqual([false, false]);
    const read = { path: '/Users/me/.hermes/cache/spill', writable: false };
    const shared = decide({ visible: [...VIEW.visible, read] });
    expect([shared.reads(`${read.path}/a`), shared.writes(`${read.path}/a`)]).toEqual([true, false]);
    expect(shared.reads('/Users/me/.hermes/.env')).toBe(false);
  });

  verifies('TOOL-6', 'has the configured network, and sockets only in places that are shown', () => {
    const internet: Request = { operation: 'network-outbound' };
    const resolving: Request = { operation: 'mach-lookup', name: 'com.apple.SystemConfiguration.configd' };
    expect([allows(internet), allows(resolving), allows({ operation: 'network-bind' })]).toEqual([false, false, false]);
    expect([connects(`${FOLDER}/tmp/s`), connects(`${PROJECT}/s`)]).toEqual([true, true]);
    expect([connects('/private/var/run/docker.sock'), connects('/opt/x/s')]).toEqual([false, false]);
    const online = decide({ network: true });
    expect([online.allows(internet), online.allows(resolving)]).toEqual([true, true]);
    expect(online.connects('/private/var/run/mDNSResponder')).toBe(true);
    for (const path of [
      '/private/var/run/docker.sock',
      '/private/tmp/com.apple.launchd.1/Listeners',
      '/Users/me/.ssh/s',
    ])
      expect([path, online.connects(path)]).toEqual([path, false]);
  });

  it('reaches no other processes, no variables of theirs, and no service that runs commands or has passwords', () => {
    for (const operation of ['signal', 'process-info-pidinfo']) {
      expect(allows({ operation, target: 'same-sandbox' })).toBe(true);
      expect(allows({ operation, target: 'others' })).toBe(false);
    }
    for (const name of ['kern.procargs2', 'kern.proc.all'])
      expect(allows({ operation: 'sysctl-read', name })).toBe(false);
    expect(allows({ operation: 'sysctl-read', name: 'hw.ncpu' })).toBe(true);
    for (const name of ['com.apple.SecurityServer', 'com.apple.coreservices.appleevents', 'com.apple.pasteboard.1'])
      expect(decide({ network: true }).allows({ operation: 'mach-lookup', name })).toBe(false);
    for (const operation of ['appleevent-send', 'job-creation', 'lsopen', 'mach-priv-task-port', 'file-mount'])
      expect(decide({ network: true }).allows({ operation })).toBe(false);
    expect([writes('/dev/ttys003'), allows({ operation: 'file-ioctl', path: '/dev/ttys003' })]).toEqual([false, true]);
  });
});

describe('any path in a Seatbelt profile', () => {
  const name = fc
    .string({ unit: fc.constantFrom(...'ab ()"\\;#*.\n\t\'é漢'), minLength: 1, maxLength: 8 })
    .filter((text) => text !== '.' && text !== '..');
  // Mostly the same names, so that many paths are inside others.
  const part = fc.oneof({ arbitrary: fc.constantFrom('a', 'b "(', 'c\\'), weight: 4 }, { arbitrary: name, weight: 1 });
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((names) => `/${names.join('/')}`);

  it('is one string, whatever characters it has', () => {
    const property = fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(parseProfile(`(x ${quoteProfileString(text)} y)`)).toEqual([['x', { text }, 'y']]);
    });
    fc.assert(property, { numRuns: scaledRuns(1000) });
  });

  it('has the access of the deepest place that contains it', () => {
    const place = fc.record({ path, writable: fc.boolean() });
    const lists = [fc.array(path, { maxLength: 4 }), fc.array(place, { maxLength: 3 })] as const;
    const property = fc.property(
      path,
      path,
      ...lists,
      fc.boolean(),
      (workingDirectory, asked, hidden, visible, network) => {
        const folder = '/private/hermes-sandbox';
        const facts = { hidden, temporaryFolders: [], guards: [] };
        const profile = seatbeltProfile({ workingDirectory, network, hidden, folder, visible }, facts);
        const allows = createInterpreter(profile);
        const shown = [{ path: workingDirectory, writable: true }, ...visible];
        const isShown = (one: string) => shown.some((other) => other.path === one);
        const places = [
          ...shown.map((one) => ({ path: one.path, reads: true, writes: one.writable })),
          ...hidden.filter((one) => !isShown(one)).map((one) => ({ path: one, reads: false, writes: false })),
        ].filter((one) => asked === one.path || asked.startsWith(`${one.path}/`));
        const longest = Math.max(0, ...places.map((one) => one.path.length));
        const { reads, writes } = places.findLast((one) => one.path.length === longest) ?? {
          reads: true,
          writes: false,
        };
        const operations = ['file-read-data', 'file-write-data'];
        expect(operations.map((operation) => allows({ operation, path: asked }))).toEqual([reads, writes]);
      },
    );
    fc.assert(property, { numRuns: scaledRuns(1000) });
  });
});

/** A program that records its profile and runs the command without enforcing it. */
const RECORDER = `#!/bin/sh
[ "$1" = -p ] || exit 64
printf %s "$2" >"$(dirname "$0")/profile"
shift 2; [ "$1" = -- ] && shift; exec "$@"
`;

describe('an environment with Seatbelt', () => {
  let root: string;
  let env: Record<string, string | undefined>;
  beforeAll(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'hermes-seatbelt-')));
    const programs = join(root, 'programs');
    await mkdir(join(root, 'project/.git/hooks'), { recursive: true });
    await mkdir(join(root, 'hidden "home"'));
    await writeFile(join(root, 'project/.git/HEAD'), 'ref: refs/heads/main\n');
    await mkdir(programs);
    await writeFile(join(programs, 'sandbox-exec'), RECORDER);
    await chmod(join(programs, 'sandbox-exec'), 0o755);
    env = { ...variablesWithSecret(), PATH: `${programs}:${process.env['PATH']}` };
  });
  afterAll(() => rm(root, { recursive: true, force: true }));
  const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 10_000 };
  const recorded = async () => createInterpreter(await readFile(join(root, 'programs/profile'), 'utf8'));
  const open = (workingDirectory: string): Promise<Environment> =>
    createSandboxEnvironment({
      workingDirectory,
      network: false,
      hidden: [join(root, 'hidden "home"')],
      env,
      program: 'seatbelt',
    });

  it('runs every command and file operation with a profile of the files that exist', async () => {
    const sandbox = await open(join(root, 'project'));
    const { output } = await sandbox.run('cd .git; echo "$PWD"; echo "$TMPDIR"', options);
    const [directory, temporary = ''] = output.trim().split('\n');
    expect(directory).toBe(join(root, 'project/.git'));
    expect((await sandbox.run('pwd; kill -TERM $$', options)).signalName).toBe('SIGTERM');
    const allows = await recorded();
    const write = (path: string) => allows({ operation: 'file-write-data', path });
    expect([write(join(temporary, 'x')), write(join(root, 'project/x')), write(join(root, 'x'))]).toEqual([
      true,
      true,
      false,
    ]);
    expect(write(join(root, 'project/.git/config'))).toBe(false);
    expect(allows({ operation: 'file-read-data', path: join(root, 'hidden "home"', 'key') })).toBe(false);
    expect(allows({ operation: 'file-read-data', path: join(homedir(), 'x') })).toBe(true);
    expect(sandbox.system).toContain('only the working directory and $TMPDIR are writable, no network');
    await rm(join(root, 'programs/profile'));
    await sandbox.writeFile('a.txt', 'x');
    expect((await recorded())({ operation: 'file-write-create', path: join(root, 'project/a.txt') })).toBe(true);
    await sandbox.close();
  });

  it('gives confined commands of the local environment a temporary folder of their own', async () => {
    // The state folder is behind a link, like the temporary folder of macOS.
    await mkdir(join(root, 'state'));
    await symlink(root, join(root, 'link'));
    const folders = [join(root, 'state'), join(root, 'shared')];
    const confinement = await openConfinement({
      workingDirectory: join(root, 'project'),
      network: true,
      hidden: [],
      env: env as Record<string, string>,
      exitTasks: createExitTasks(),
      stateFolder: () => join(root, 'link/state'),
      folders: () => folders.slice(1),
      program: 'seatbelt',
    });
    if ('problem' in confinement) throw new Error(confinement.problem);
    const { args } = confinement.wrapper.prefix('/');
    const allows = createInterpreter(args[1] ?? '');
    const temporary = confinement.wrapper.variables?.['TMPDIR'] ?? '';
    const write = (path: string) => allows({ operation: 'file-write-create', path });
    // Shells outside the sandbox run what is in the state folder.
    expect([temporary, ...folders].map((path) => write(join(path, 'x')))).toEqual([true, false, false]);
    confinement.close();
  });

  it('says why Seatbelt cannot start', async () => {
    const path = join(root, 'programs/sandbox-exec');
    await writeFile(path, '#!/bin/sh\necho "sandbox-exec: unbound variable: x" >&2; exit 65\n');
    await expect(open(join(root, 'project'))).rejects.toThrow(
      /Seatbelt \(sandbox-exec\) cannot start: .*unbound variable/,
    );
    await writeFile(path, RECORDER);
  });

  describeEnvironment('Seatbelt', open, { share: { nth: 2, start: 1 }, groups: PROCESS_GROUPS });
});
