import type { CommandNode } from './command-tree.ts';
import { lookUpFunctions } from './shell-words.ts';

/** For zsh with `compinit`; can be sourced, or put into a folder of `fpath` as `_hermes`. */
export function zshScript(root: CommandNode): string {
  return `#compdef hermes
# Completion of hermes for zsh: source <(hermes completion zsh)
${lookUpFunctions(root)}
${COMPLETE}`;
}

const COMPLETE = String.raw`# Offers lines of names and descriptions.
_hermes_offer() {
  local line
  local -a names texts
  for line in "${'$'}{(@f)2}"; do
    [[ -n $line ]] || continue
    names+=("${'$'}{line%%$'\t'*}")
    texts+=("${'$'}{line/$'\t'/  -- }")
  done
  (( $#names )) && compadd -V "$1" -l -d texts -a names
}

_hermes() {
  local cur=${'$'}{words[CURRENT]} place=hermes position=0 wanted= word i
  local _hermes_commands _hermes_options _hermes_wanted
  for ((i = 2; i < CURRENT; i++)); do
    word=${'$'}{words[i]}
    if [[ -n $wanted ]]; then wanted=; continue; fi
    _hermes_describe "$place"
    if [[ $word == -?* ]]; then
      _hermes_option "$place $word"
      wanted=$_hermes_wanted
    elif [[ $position == 0 && $'\n'$_hermes_commands == *$'\n'"$word"$'\t'* ]]; then
      place="$place $word"
    else
      position=$((position + 1))
    fi
  done
  if [[ -z $wanted ]]; then
    _hermes_describe "$place"
    if [[ $cur == -* ]]; then _hermes_offer options "$_hermes_options"; return; fi
    [[ $position == 0 ]] && _hermes_offer commands "$_hermes_commands"
    _hermes_argument "$place" "$position"
    wanted=$_hermes_wanted
  fi
  case "$wanted" in
    '='*) _hermes_offer values "${'$'}{wanted#=}" ;;
    '@'*) _hermes_offer values "$("${'$'}{(Q)words[1]/#\~/$HOME}" __complete "${'$'}{wanted#@}" 2>/dev/null)" ;;
    file) _files ;;
  esac
}

if [[ $funcstack[1] == _hermes ]]; then _hermes "$@"; else compdef _hermes hermes; fi
`;
