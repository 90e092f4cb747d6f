import { spawnSync } from 'node:child_process';

/** Why the sandbox cannot be tried here; undefined where it can. */
export function findSandboxFault(): string | undefined {
  const { error, status, stderr } = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-pid', 'true']);
  if (error) return 'bubblewrap is not installed';
  return status === 0 ? undefined : `bubblewrap cannot start: ${String(stderr).trim()}`;
}
