import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { TerminalOptions } from '../../test/support/pty/terminal-process.ts';

const PACKAGE = '@openai/codex@0.166.0';

/** The start script of the Codex CLI, which is installed once into a cache folder of the user. */
export function installCodex(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const folder = join(cache, 'hermes-bench', PACKAGE.replaceAll('/', '-'));
  const program = join(folder, 'node_modules/@openai/codex/bin/codex.js');
  if (existsSync(program)) return program;
  process.stderr.write(`installing ${PACKAGE} into ${folder}\n`);
  mkdirSync(folder, { recursive: true });
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel', 'error'];
  execFileSync('npm', ['install', '--prefix', folder, ...quiet, PACKAGE], { stdio: ['ignore', 'ignore', 'inherit'] });
  return program;
}

/** Writes a configuration that needs no login and asks nothing, and returns how to start it. */
export function codexIn(
  folder: string,
  { program, workspace, baseUrl }: { program: string; workspace: string; baseUrl: string },
): Pick<TerminalOptions, 'program' | 'env'> {
  mkdirSync(folder, { recursive: true });
  const lines = [
    'model = "bench-model"',
    'model_provider = "bench"',
    'check_for_update_on_startup = false',
    '[model_providers.bench]',
    'name = "bench"',
    `base_url = "${baseUrl}"`,
    'env_key = "BENCH_KEY"',
    'wire_api = "responses"',
    `[projects."${workspace}"]`,
    'trust_level = "trusted"',
    '[analytics]',
    'enabled = false',
    '',
  ];
  writeFileSync(join(folder, 'config.toml'), lines.join('\n'));
  return { program, env: { CODEX_HOME: folder, BENCH_KEY: 'bench', HERMES_HOME: undefined } };
}
