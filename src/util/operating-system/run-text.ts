/** `ps` and `sysctl` take milliseconds. Without a limit, one that hangs would block Hermes. */
const TIMEOUT_MS = 5000;
const MAX_BYTES = 64_000_000;
/** Fixed, so that all processes get the same text: no tag of an outer Hermes, no language and no time zone. */
const VARIABLES = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC0' };

/** Runs a small program of the system and returns its output; undefined if it is missing or fails. */
export function runText(program: string, args: readonly string[]): string | undefined {
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { status, stdout } = spawnSync(program, args, {
    env: VARIABLES,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_BYTES,
  });
  return status === 0 ? stdout : undefined;
}
