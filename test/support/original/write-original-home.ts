import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TemporaryHome } from '../../../src/testing/index.ts';
import { type OriginalDatabaseOptions, writeOriginalDatabase } from './original-home.ts';

/** A value that must appear in no output. */
export const ORIGINAL_SECRET = 'at-0123456789abcdefghijkl';

/** `config.yaml` as versions of the seed wrote it. */
const EARLY_CONFIG = `model: ''
toolsets: [hermes-cli]
platform_toolsets: { cli: [hermes-cli, kanban] }
agent: { max_turns: 60, system_prompt: Be brief. }
terminal: { backend: local, cwd: ., timeout: 120 }
compression: { enabled: true, threshold: 0.5, summary_model: google/gemini-3-flash-preview }
display: { compact: false, personality: '' }
hooks: { pre_tool_call: [{ matcher: terminal, command: ./check.sh }] }
`;

type HomeOptions = OriginalDatabaseOptions & {
  /** The section `model` of the configuration. */
  model: string;
};

/** Writes a home directory as the original leaves it: settings, login, skill, memories, hook and sessions. */
export async function writeOriginalHome(home: TemporaryHome, options: HomeOptions): Promise<void> {
  const isEarly = options.schema <= 6;
  const defaults = readFileSync(join(import.meta.dirname, 'default-config.yaml'), 'utf8');
  const login = { tokens: { access_token: ORIGINAL_SECRET, refresh_token: `r${ORIGINAL_SECRET}` } };
  await home.write('config.yaml', (isEarly ? EARLY_CONFIG : defaults).replace("model: ''\n", options.model));
  await home.write('auth.json', JSON.stringify({ version: 1, providers: { 'openai-codex': login } }));
  await home.write('.env', `OPENROUTER_API_KEY=sk-or-${ORIGINAL_SECRET}\n`);
  await home.write('SOUL.md', 'You are a calm assistant.\n');
  await home.write('memories/USER.md', 'Ada likes short answers.\n§\nAda lives in Bern.\n');
  await home.write('skills/research/tidy/SKILL.md', '---\nname: tidy\ndescription: Sort imports.\n---\n\nSort them.\n');
  await home.write('hooks/notify/HOOK.yaml', 'name: notify\ndescription: x\nevents: [agent:end]\n');
  await home.write('hooks/notify/handler.py', 'def handle(event_type, context): pass\n');
  writeOriginalDatabase(join(home.path, 'state.db'), options);
}
