import type { CommandNode } from './command-tree.ts';
import { lookUpFunctions } from './shell-words.ts';

/** For bash 3.2 and later, without any package for completion. */
export function bashScript(root: CommandNode): string {
  return `# Completion of hermes for bash: source <(hermes completion bash)
${lookUpFunctions(root)}
${COMPLETE}`;
}

const COMPLETE = String.raw`# Offers the lines that begin like the word, each as one word; what stands behind a tab is for other shells.
_hermes_offer() {
  local line
  while IFS= read -r line; do
    line=${'$'}{line%%$'\t'*}
    [[ -n $line && $line == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "$line")")
  done <<< "$1"
}

_hermes_complete() {
  local cur=${'$'}{COMP_WORDS[COMP_CWORD]} path=hermes position=0 wanted= word i
  local _hermes_commands _hermes_options _hermes_wanted
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${'$'}{COMP_WORDS[i]}
    if [[ $word == = ]]; then continue; fi
    if [[ -n $wanted ]]; then wanted=; continue; fi
    _hermes_describe "$path"
    if [[ $word == -?* ]]; then
      _hermes_option "$path $word"
      wanted=$_hermes_wanted
    elif [[ $position == 0 && $'\n'$_hermes_commands == *$'\n'"$word"$'\t'* ]]; then
      path="$path $word"
    else
      position=$((position + 1))
    fi
  done
  [[ $cur == = ]] && cur=
  if [[ -z $wanted ]]; then
    _hermes_describe "$path"
    if [[ $cur == -* ]]; then _hermes_offer "$_hermes_options"; return; fi
    [[ $position == 0 ]] && _hermes_offer "$_hermes_commands"
    _hermes_argument "$path" "$position"
    wanted=$_hermes_wanted
  fi
  case "$wanted" in
    '='*) _hermes_offer "${'$'}{wanted#=}" ;;
    '@'*) _hermes_offer "$("${'$'}{COMP_WORDS[0]/#\~/$HOME}" __complete "${'$'}{wanted#@}" 2>/dev/null)" ;;
  esac
}

# Where nothing is offered, files are.
complete -o bashdefault -o default -F _hermes_complete hermes
`;
