#!/bin/sh
# Installs Hermes for the current user, on Linux, WSL and macOS:
#
#   sh install.sh               install or update
#   sh install.sh --uninstall   remove it; your sessions and settings stay
#
# Variables:
#   HERMES_INSTALL_SOURCE   what npm installs: a version of the package or a tarball (default: hermes-agent-ts@latest)
#   HERMES_INSTALL_PREFIX   where npm installs it (default: npm's own prefix if you can write to it, otherwise ~/.local)
#
# Everything is in functions, so that an incomplete download does nothing.
set -eu

PACKAGE=hermes-agent-ts
SOURCE="${HERMES_INSTALL_SOURCE:-$PACKAGE@latest}"

main() {
  case "${1:-}" in
    '') install_hermes ;;
    --uninstall) uninstall_hermes ;;
    -h | --help) print_usage ;;
    *) fail "Unknown option: $1. The only option is --uninstall." ;;
  esac
}

print_usage() {
  cat <<END
Usage: sh install.sh [--uninstall]

Installs Hermes with npm, without root if possible. HERMES_INSTALL_SOURCE names another version or a tarball, and
HERMES_INSTALL_PREFIX another place.
END
}

install_hermes() {
  check_system
  check_node
  choose_prefix
  cat <<END
This script runs npm to install $SOURCE.

  Node      $(node --version), npm $(npm --version)
  files     $prefix/lib/node_modules/$PACKAGE
  command   $prefix/bin/hermes
  remove    sh install.sh --uninstall

It changes nothing else. Sessions and settings will be in ${HERMES_HOME:-$HOME/.hermes}.

END
  npm install --global --prefix "$prefix" --loglevel=error --no-fund --no-audit "$SOURCE" ||
    fail "npm could not install $SOURCE; its message is above. HERMES_INSTALL_SOURCE names another source."
  version="$("$prefix/bin/hermes" --version)" || fail "$prefix/bin/hermes does not start."
  printf '\nInstalled Hermes %s.\n' "$version"
  explain_path "$prefix/bin"
  printf 'Connect a model with `hermes setup`, or try `hermes --provider demo`.\n'
}

uninstall_hermes() {
  command -v npm >/dev/null || fail 'npm was not found, so nothing was removed.'
  removed=
  for prefix in "${HERMES_INSTALL_PREFIX:-}" "$(npm prefix --global)" "$HOME/.local"; do
    [ -n "$prefix" ] && [ -e "$prefix/lib/node_modules/$PACKAGE" ] || continue
    if ! is_writable "$prefix/lib/node_modules"; then
      printf 'Not removed, because you cannot write to it: %s.\n' "$prefix/lib/node_modules/$PACKAGE"
      continue
    fi
    npm uninstall --global --prefix "$prefix" --loglevel=error --no-fund --no-audit "$PACKAGE"
    printf 'Removed %s.\n' "$prefix/lib/node_modules/$PACKAGE"
    removed=yes
  done
  [ -n "$removed" ] || fail 'Hermes is not installed in a folder to which you can write.'
  home="${HERMES_HOME:-$HOME/.hermes}"
  [ ! -d "$home" ] || printf 'Your sessions and settings are still in %s.\n' "$home"
}

check_system() {
  case "$(uname -s)" in
    Linux | Darwin) ;;
    *) fail 'Hermes runs on Linux, macOS and WSL. On Windows, run `wsl --install` in PowerShell, then this script in WSL.' ;;
  esac
}

check_node() {
  command -v node >/dev/null || fail "Node was not found. $NEW_NODE"
  version="$(node -p process.versions.node)"
  is_supported "$version" ||
    fail "Hermes requires Node 26, Node 24 (24.15 or newer) or Node 22 (22.22.3 or newer), but this is Node $version. $NEW_NODE"
  command -v npm >/dev/null || fail "npm was not found, which is part of Node. $NEW_NODE"
}

NEW_NODE='Install Node 24, for example with `nvm install 24` or from https://nodejs.org/en/download, and run this script again.'

# The versions of `engines` in package.json.
is_supported() {
  major="${1%%.*}"
  minor="${1#*.}"
  patch="${minor#*.}"
  minor="${minor%%.*}"
  patch="${patch%%[!0-9]*}"
  case "$major" in
    22) [ "$minor" -gt 22 ] || { [ "$minor" -eq 22 ] && [ "$patch" -ge 3 ]; } ;;
    24) [ "$minor" -ge 15 ] ;;
    *) [ "$major" -ge 26 ] ;;
  esac
}

choose_prefix() {
  prefix="${HERMES_INSTALL_PREFIX:-$(npm prefix --global)}"
  [ -z "${HERMES_INSTALL_PREFIX:-}" ] || return 0
  ! is_writable "$prefix/lib/node_modules" || ! is_writable "$prefix/bin" || return 0
  printf 'You cannot write to %s, where npm installs commands for all users.\n' "$prefix"
  printf 'Hermes is installed for you alone, so root is not needed.\n\n'
  prefix="$HOME/.local"
}

# Whether the folder can be written to, or created.
is_writable() {
  folder="$1"
  while [ ! -e "$folder" ]; do folder="$(dirname "$folder")"; done
  [ -d "$folder" ] && [ -w "$folder" ]
}

explain_path() {
  case ":$PATH:" in
    *":$1:"*) return ;;
  esac
  case "${SHELL:-}" in
    */zsh) file='~/.zshrc' ;;
    */bash) file='~/.bashrc' ;;
    *) file='~/.profile' ;;
  esac
  printf '%s is not on your PATH. Add this line to %s and open a new terminal:\n\n' "$1" "$file"
  printf '  export PATH="%s:$PATH"\n\n' "$1"
}

fail() {
  printf 'install.sh: %s\n' "$1" >&2
  exit 1
}

main "$@"
