import { hasLinuxFacilities } from './facts.ts';

const IN_PROC = `for file in $(grep -lsF -- "$mark" /proc/[0-9]*/environ 2>/dev/null); do
  pid=\${file#/proc/}; kill -s KILL "\${pid%/environ}" 2>/dev/null
done`;

/** `ps` of macOS and `ps` of Linux print environments with different options. */
const IN_PS = `{ ps -AEww -o pid= -o command= || ps axeww -o pid= -o command=; } 2>/dev/null | while read -r pid text; do
  case $text in *"$mark"*) kill -s KILL "$pid" 2>/dev/null ;; esac
done`;

/** Shell code that kills all processes whose environment contains the value of the variable `mark`. */
export function killTaggedScript(): string {
  return hasLinuxFacilities() ? IN_PROC : IN_PS;
}
