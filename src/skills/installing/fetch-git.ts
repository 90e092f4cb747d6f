import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SkillSource } from './source.ts';
import { runTool, type ToolRun } from './run-tool.ts';

/** Nobody is asked, nothing is run: no hooks, no helpers of large files, no transport that starts a program. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'protocol.ext.allow=never',
  'core.fsmonitor=false',
  'submodule.recurse=false',
];
const QUIET = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '',
  SSH_ASKPASS: '',
  GCM_INTERACTIVE: 'never',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
};

/** The newest state of a repository, or of one of its branches, tags or commits, in an empty folder; which commit it is. */
export async function fetchGit(
  { url, ref }: Extract<SkillSource, { kind: 'git' }>,
  run: ToolRun,
): Promise<{ version: string }> {
  // Variables of a hook or of a shell in another repository would send git there.
  const inherited = Object.entries(run.env).filter(([name]) => !/^GIT_(?!SSL_CAINFO|PROXY)/.test(name));
  const quiet = { ...run, env: { ...Object.fromEntries(inherited), ...QUIET } };
  const git = (...args: string[]) =>
    runTool('git', [...SETTINGS.flatMap((setting) => ['-c', setting]), ...args], quiet);
  await git('init', '--quiet', '--template=', '.');
  await git('fetch', '--quiet', '--depth', '1', '--no-tags', '--no-recurse-submodules', '--', url, ref ?? 'HEAD');
  await git('-c', 'advice.detachedHead=false', 'checkout', '--quiet', 'FETCH_HEAD');
  const version = (await git('rev-parse', 'HEAD')).trim();
  rmSync(join(run.folder, '.git'), { recursive: true, force: true });
  return { version };
}
