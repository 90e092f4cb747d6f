import { spawn } from 'node:child_process';

// Waits for the end of stdin, which comes immediately when the parent process is killed. A stopping server removes
// its pid file last.
const SCRIPT = `cat > /dev/null
[ -d "$1" ] || exit 0
file="$1/data/postmaster.pid"
[ -f "$file" ] && kill -QUIT "$(head -n 1 "$file")"
while [ -f "$file" ]; do sleep 0.1; done
rm -rf "$1"`;

/** Stops the server in a folder and removes the folder if the process that started them was killed. */
export function startGuard(folder: string): { end(): void } {
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'guard', folder], {
    // A separate session, so that Ctrl-C in the terminal does not end it first.
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
