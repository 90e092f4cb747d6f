import { relative, sep } from 'node:path';
import type { Facts } from './targets.ts';

type Protection = { rule: string; within: 'home' | 'hermes' | 'root'; paths: readonly string[] };

/** What is never changed without asking, whatever tool does it. A folder covers all below it. */
const PROTECTIONS: readonly Protection[] = [
  {
    rule: "change the agent's own configuration",
    within: 'hermes',
    paths: ['config.yaml', '.env', 'auth.json', 'state.db', 'state.db-wal', 'state.db-shm', 'mcp-tokens', 'pairing'],
  },
  { rule: 'change ssh keys or configuration', within: 'home', paths: ['.ssh'] },
  {
    rule: 'change credentials',
    within: 'home',
    paths: [
      ...['.aws', '.gnupg', '.kube', '.docker', '.azure', '.config/gh', '.config/gcloud', '.netrc', '.pgpass'],
      ...['.npmrc', '.pypirc', '.git-credentials', '.cargo/credentials.toml', '.password-store'],
    ],
  },
  {
    rule: 'change a shell start-up file',
    within: 'home',
    paths: [
      ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.profile', '.zshrc', '.zshenv', '.zprofile'],
      ...['.zlogin', '.config/fish', '.config/autostart', '.config/systemd', '.xprofile', 'Library/LaunchAgents'],
    ],
  },
];

const SYSTEM_RULE = 'change system files';
/** Folders that belong to the operating system. */
const SYSTEM =
  /^\/(?:etc|boot|usr|bin|sbin|lib|lib32|lib64|System|Library|var\/spool\/cron|proc\/sys|sys|private\/etc)(?:\/|$)/;
/** Where users install things themselves. */
const NOT_SYSTEM = /^\/usr\/local(?:\/|$)/;

/** The rule that protects a path, which is absolute and has its links followed; undefined where anyone may write. */
export function protectionOf(path: string, facts: Facts): string | undefined {
  const found = PROTECTIONS.find(({ within, paths }) => {
    const inside = relative(rootOf(within, facts), path);
    return paths.some((protectedPath) => inside === protectedPath || inside.startsWith(protectedPath + sep));
  });
  if (found) return found.rule;
  return isSystemFile(path, facts) ? SYSTEM_RULE : undefined;
}

function rootOf(within: Protection['within'], facts: Facts): string {
  if (within === 'hermes') return facts.hermesHome;
  return within === 'home' ? facts.home : '/';
}

/** A project below a system folder, as in containers, is still the project's. */
function isSystemFile(path: string, facts: Facts): boolean {
  if (!SYSTEM.test(path) || NOT_SYSTEM.test(path)) return false;
  const inProject = facts.workingDirectory !== '/' && path.startsWith(facts.workingDirectory + sep);
  return !inProject;
}
