import { PROCESS_TAG_VARIABLE } from '../shell-script.ts';

/** Prints the start time of a process; nothing if it is gone. */
const STARTED = `
started() {
  if [ -r "/proc/$1/stat" ]; then
    read -r l <"/proc/$1/stat"
    l=\${l##*) }
    set -- $l
    case $1 in Z | X) return ;; esac
    shift 19
    read -r b </proc/sys/kernel/random/boot_id
    printf %s "$b:$1"
  else
    ps -o lstart= -p "$1" 2>/dev/null | tr -d '\\n' | tr ' ' _
  fi
}`;

/** Lists all processes: pid, parent, group, state. Minimal images have no `ps`, or one with fewer options. */
const PROCESSES = `
processes() {
  ps -A -o pid= -o ppid= -o pgid= -o stat= 2>/dev/null && return
  for f in /proc/[0-9]*/stat; do
    { read -r l <"$f"; } 2>/dev/null || continue
    q=\${l%% *}
    l=\${l##*) }
    set -- $l
    echo "$q $2 $3 $1"
  done
}`;

/** In a remote shell bash reads start-up files, which the login shell has already done. */
const FLAGS = 'case $s in */bash) f=--norc ;; *) f= ;; esac';

export const START_TIME_SCRIPT = `${STARTED}
started "$1"`;

/**
 * Probes the remote machine and creates a private folder for the shell state. Parameters: the initial directory, and
 * `make` to create it if it is missing. If it cannot be created, the home directory is used.
 */
export const PROBE_SCRIPT = `
s=/bin/sh
for f in /bin/bash /usr/bin/bash /usr/local/bin/bash /opt/homebrew/bin/bash; do
  [ -x "$f" ] && s=$f && break
done
case $1 in '~' | '~/'*) w=$HOME\${1#'~'} ;; *) w=$1 ;; esac
[ "$2" != make ] || mkdir -p "$w" 2>/dev/null || w=$HOME
cd "$w" || exit 3
umask 077
f=$(mktemp -d "\${TMPDIR:-/tmp}/hermes-XXXXXX") || exit 4
printf '%s\\0' "$s" "$HOME" "$f" "$PWD" "$(uname -s)"
pwd -P`;

/**
 * Runs a command in its own process group and reports its start and end on stderr, because the connection stays open
 * as long as a background process holds stdout. Stdin is passed as another descriptor, because some shells replace that
 * of a background process with /dev/null. Parameters: process tag, directory, shell, script, command, file of the
 * directories, 1 if all variables come from the saved state, previous directory, obsolete files to remove.
 */
const BEGIN_SCRIPT = `${STARTED}
m=$1 d=$2 s=$3 x=$4 c=$5 t=$6 w=$7 o=$8
shift 8
${FLAGS}
exec 3>&2 2>/dev/null 4<&0
[ $# -eq 0 ] || rm -f "$@"
cd "$d" || { printf '\\036%s nodir\\0' "$m" >&3; exit 1; }
set -m
if [ "$w" = 1 ]; then
  env -i ${PROCESS_TAG_VARIABLE}="$m" PWD="$d" \${o:+"OLDPWD=$o"} "$s" $f -c "$x" "$s" "$c" 2>&1 3>&- <&4 4<&- &
else
  ${PROCESS_TAG_VARIABLE}="$m" "$s" $f -c "$x" "$s" "$c" 2>&1 3>&- <&4 4<&- &
fi
p=$!
set +m
printf '\\036%s begun %s %s\\0' "$m" "$p" "$(started "$p")" >&3
wait "$p"
e=$?
kill -0 "-$p" && printf '\\036%s left\\0' "$m" >&3
printf '\\036%s ended %s\\0' "$m" "$e" >&3
[ -z "$t" ] || [ ! -f "$t" ] || cat "$t" >&3
printf '\\036%s over\\0' "$m" >&3`;

export const COMMAND_SCRIPT = `${BEGIN_SCRIPT}
exit "$e"`;

/**
 * Like `COMMAND_SCRIPT`, but exits only after all processes of the command, because an engine closes the streams when
 * its first process exits. It also reads stdin to the end, because podman drops pending output if input is not read.
 */
export const WAITING_COMMAND_SCRIPT = `${BEGIN_SCRIPT}
while kill -0 "-$p"; do sleep 0.5; done
cat >/dev/null
exit "$e"`;

/** A script that starts after its first line of input, and exits if there is none. */
export function waitingForInput(script: string): string {
  return `read -r g || exit 1\n${script}`;
}

/** Runs a script and reads the rest of its stdin. Parameters: the script and its parameters. */
export const STDIN_DRAINING_SCRIPT = `
s=$1
shift
/bin/sh -c "$s" sh "$@"
e=$?
cat >/dev/null
exit "$e"`;

/**
 * Runs a command in a pseudo-terminal. There is only one stream, and the shell of the command replaces the shell of
 * this script. The size is set here because some engines set it only after the command has read it.
 */
export const TERMINAL_SCRIPT = `${STARTED}
m=$1 d=$2 s=$3 x=$4 c=$5 w=$6 o=$7
stty rows "$8" cols "$9" 2>/dev/null
${FLAGS}
cd "$d" || exit 1
printf '\\036%s begun %s %s\\0' "$m" "$$" "$(started $$)"
if [ "$w" = 1 ]; then
  exec env -i ${PROCESS_TAG_VARIABLE}="$m" PWD="$d" TERM="$TERM" \${o:+"OLDPWD=$o"} "$s" $f -c "$x" "$s" "$c"
fi
${PROCESS_TAG_VARIABLE}=$m
export ${PROCESS_TAG_VARIABLE}
exec "$s" $f -c "$x" "$s" "$c"`;

/** Sets the size of the terminal of a process. Parameters: pid, columns, rows. */
export const RESIZE_SCRIPT = `stty -F "/proc/$1/fd/0" cols "$2" rows "$3"`;

/**
 * Handles the orphaned processes in the group of a finished command, except those that ignore SIGHUP, as with
 * `nohup`. Parameters: group, process tag, and the action: `list`, `kill`, or otherwise exit with an error if none is
 * left.
 */
export const ORPHANS_SCRIPT = `${STARTED}
${PROCESSES}
p=$1 m=$2 what=$3
left() {
  for q in $(processes | awk -v p="$p" '$3 == p && $4 !~ /^Z/ { print $1 }'); do
    if [ -r "/proc/$q/status" ]; then
      grep -qsa -e "$m" "/proc/$q/environ" || continue
      ! grep -q '^SigIgn:.*[13579bdf]$' "/proc/$q/status" || continue
    fi
    echo "$q"
  done
}
send() { for q in $(left); do kill -s "$1" "$q" 2>/dev/null; done; }
case $what in
list)
  for q in $(left); do printf '%s %s %s\\0' "$q" "$(started "$q")" "$(ps -o args= -p "$q" 2>/dev/null || tr '\\0' ' ' <"/proc/$q/cmdline")"; done ;;
kill)
  send TERM
  i=0
  while [ -n "$(left)" ]; do
    [ "$i" -lt 20 ] || send KILL
    [ "$i" -lt 30 ] || exit 1
    i=$((i + 1))
    sleep 0.1
  done ;;
*) [ -n "$(left)" ] ;;
esac`;

/**
 * Terminates a process, its group, its descendants and everything with its process tag. Parameters: pid (or `-` if
 * only the tag is known) and tag. Exits with an error if a process survives. SIGTERM is sent in the order of start,
 * because a shell whose child dies first would continue with its next line. Each process gets it once, new ones as
 * soon as they appear. Processes that survive half a second mostly survive the full two, so later checks are less
 * frequent.
 */
export const KILL_SCRIPT = `${PROCESSES}
p=$1 m=$2
members() {
  marked=$(grep -lsa -e "$m" /proc/[0-9]*/environ 2>/dev/null | tr -cd '0-9\\n' | tr '\\n' ' ')
  processes | awk -v p="$p" -v self=$$ -v marked="$marked" '
    $4 !~ /^Z/ { parent[$1] = $2; if ($3 == p || $1 == p) found[$1] = 1 }
    END {
      n = split(marked, list, " ")
      for (i = 1; i <= n; i++) if (list[i] in parent) found[list[i]] = 1
      for (more = 1; more; ) {
        more = 0
        for (q in parent) if (!(q in found) && (parent[q] in found)) { found[q] = 1; more = 1 }
      }
      for (q in found) if (q != self) print q
    }' | sort -n
}
ask() {
  for q; do case " $asked " in *" $q "*) ;; *) asked="$asked $q"; kill -s TERM "$q" 2>/dev/null ;; esac; done
}
send() { kill -s "$1" $(members) 2>/dev/null; }
asked=
i=0
while found=$(members); [ -n "$found" ]; do
  if [ "$i" -lt 10 ]; then ask $found; else send STOP; send KILL; fi
  [ "$i" -lt 20 ] || exit 1
  case $i in 5 | 6 | 7 | 8 | 9) sleep 0.3 ;; *) sleep 0.1 ;; esac
  i=$((i + 1))
done`;
