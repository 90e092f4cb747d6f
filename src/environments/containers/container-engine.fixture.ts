import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type FakeEngine = {
  program: string;
  folder: string;
  /** The arguments of every call so far. */
  calls(): string[][];
  /** The existing containers by name, with whether they are running. */
  containers(): Record<string, string>;
  /** Makes every following call fail with this message. An empty message lets calls succeed again. */
  fail(words: string): void;
  /** Makes following calls that contain this word hang. */
  hangAt(word: string): void;
  close(): void;
};

/**
 * Represents containers as files, and runs commands in a local shell with a clean environment and its own temporary
 * folder.
 */
const DOCKER = `
name_after() { while [ $# -gt 1 ]; do [ "$1" = --name ] && printf %s "$2" && return; shift; done; }
missing() { echo "Error response from daemon: No such container: $1" >&2; exit 1; }
case $1 in
container)
  [ -f "$root/containers/$5" ] || missing "$5"
  cat "$root/containers/$5" ;;
run) echo true >"$root/containers/$(name_after "$@")" ;;
start) [ -f "$root/containers/$2" ] || missing "$2"; echo true >"$root/containers/$2" ;;
stop) [ -f "$root/containers/$4" ] || missing "$4"; echo false >"$root/containers/$4" ;;
rm) rm -f "$root/containers/$3" ;;
exec)
  shift 2
  set_variables=
  while :; do case $1 in
    --tty) shift ;;
    --detach-keys) shift 2 ;;
    --env) case $2 in *=*) ;; *) set_variables="$2=$(printenv "$2")" ;; esac; shift 2 ;;
    *) break ;;
  esac; done
  [ -f "$root/containers/$1" ] || missing "$1"
  [ "$(cat "$root/containers/$1")" = true ] || { echo "Error response from daemon: container $1 is not running" >&2; exit 1; }
  shift
  exec env -i PATH="$PATH" HOME="$root" TMPDIR="$root/tmp" TERM=xterm-256color \${set_variables:+"$set_variables"} "$@" ;;
esac`;

const APPTAINER = `
case $1 in
--silent)
  name=\${7#instance://}
  [ -f "$root/containers/$name" ] || { echo "FATAL:   no instance found with name $name" >&2; exit 255; }
  shift 7
  exec env -i PATH="$PATH" HOME="$root" TMPDIR="$root/tmp" TERM=xterm-256color "$@" ;;
instance)
  case $2 in
  list) if [ -f "$root/containers/$4" ]; then echo '{"instances":[{"instance":"'"$4"'"}]}'; else echo '{"instances":[]}'; fi ;;
  start) for name; do :; done; echo true >"$root/containers/$name" ;;
  stop) rm -f "$root/containers/$5" ;;
  esac ;;
esac`;

/** A fake engine that records its calls and runs commands in a local shell. */
export function createFakeEngine(kind: 'docker' | 'podman' | 'apptainer'): FakeEngine {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-engine-'));
  const program = join(folder, kind);
  for (const name of ['containers', 'tmp']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'calls'), '');
  const head = `#!/bin/sh
PATH=$PATH:/usr/bin:/bin
root='${folder}'
{ printf '%s\\036' "$@"; printf '\\035'; } >>"$root/calls"
[ ! -f "$root/hang" ] || case $* in *$(cat "$root/hang")*) exec sleep 600 ;; esac
[ ! -f "$root/fault" ] || { cat "$root/fault" >&2; exit 125; }`;
  writeFileSync(program, `${head}${kind === 'apptainer' ? APPTAINER : DOCKER}\n`);
  chmodSync(program, 0o755);
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return {
    folder,
    program,
    calls: () =>
      read('calls')
        .split('\u001D')
        .slice(0, -1)
        .map((call) => call.split('\u001E').slice(0, -1)),
    containers: () => listContainers(join(folder, 'containers')),
    fail(words) {
      if (words !== '') writeFileSync(join(folder, 'fault'), words);
      else if (existsSync(join(folder, 'fault'))) rmSync(join(folder, 'fault'));
    },
    hangAt: (word) => writeFileSync(join(folder, 'hang'), word),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function listContainers(folder: string): Record<string, string> {
  const states = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8').trim()]);
  return Object.fromEntries(states) as Record<string, string>;
}
