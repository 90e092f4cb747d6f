import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contender } from './measure.ts';

const MODEL = 'bench-model';

/** The baseline agent. */
export function bareAgent(baseUrl: string): Contender {
  return {
    name: 'bare agent',
    arguments: [join(import.meta.dirname, 'bare-agent.mjs')],
    environment: { BARE_BASE_URL: baseUrl, BARE_MODEL: MODEL },
  };
}

/** Hermes without a terminal, with a separate home directory. */
export function hermes(
  baseUrl: string,
  home: string,
  extra: readonly string[] = [],
  root = join(import.meta.dirname, '..'),
): Contender {
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, 'config.yaml'),
    [
      'model:',
      '  provider: custom',
      `  default: ${MODEL}`,
      `  base_url: ${baseUrl}`,
      '  api_key: bench',
      '  api_mode: chat_completions',
      // Nothing is compressed: the window is larger than any history here, and a threshold that is set has no limit in
      // tokens.
      '  context_length: 10000000',
      'compression:',
      '  threshold: 0.9',
      '',
    ].join('\n'),
  );
  return {
    name: 'hermes',
    arguments: [join(root, 'bin/hermes.js'), '--yolo', '--max-turns', '1000', ...extra, '-z'],
    environment: { HERMES_HOME: home },
  };
}
