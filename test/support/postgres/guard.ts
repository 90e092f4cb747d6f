import { spawn } from 'node:child_process';

// Waits for the end of stdin, which is closed when the parent process is killed. Then waits for the pid file to
// disappear, because a stopping server removes it last.
const SCRIPT = `cat > /dev/null
[ -d "$1" ] || exit 0
file="$1/data/postmaster.pid"
[ -f "$file" ] && kill -QUIT "$(head -n 1 "$file")"
while [ -f "$file" ]; do sleep 0.1; done
rm -rf "$1"`;

/**
 * Starts a separate process that stops the server in a folder and removes the folder if the process that started the
 * server is killed.
 */
export function startGuard(folder: string): { end(): void } {
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'guard', folder], {
    // A separate session, so that Ctrl-C in the terminal does not end the guard before the server.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  const { stdin } = guard;
  stdin.on('error', () => undefined);
  // A test process need not wait for it.
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return { end: () => stdin.end() };
}
