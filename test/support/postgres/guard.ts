import { spawn } from 'node:child_process';

// It waits until the other end of its input is gone, which is so at once when a process was killed. A server that is
// told to stop takes its process file away last.
const SCRIPT = `cat > /dev/null
[ -d "$1" ] || exit 0
file="$1/data/postmaster.pid"
[ -f "$file" ] && kill -QUIT "$(head -n 1 "$file")"
while [ -f "$file" ]; do sleep 0.1; done
rm -rf "$1"`;

/** Ends the server in a folder, and removes the folder, where the process that started both was killed before. */
export function startGuard(folder: string): { end(): void } {
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'guard', folder], {
    // A session of its own: the signal that ends the tests from the keyboard must not end it first.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.unref();
  const { stdin } = guard;
  stdin.on('error', () => undefined);
  // A test process that is done need not stay for it.
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return { end: () => stdin.end() };
}
