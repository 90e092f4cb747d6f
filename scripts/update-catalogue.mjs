// Generates the bundled model catalogue: src/providers/catalogue/data, one file with lines per provider. Not part of the
// build: run it by hand to update the catalogue, review the changes, and commit them.
//
//   node scripts/update-catalogue.mjs              downloads the package from the registry
//   node scripts/update-catalogue.mjs FOLDER       reads it from a folder into which it was extracted
//
// The package need not be installed, because only its data files are read.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isPlausiblePrice } from '../src/providers/catalogue/endpoint-models.ts';
import { isModelName } from '../src/providers/catalogue/entry-line.ts';
import { formatProviderFile } from '../src/providers/catalogue/provider-file.ts';

const PACKAGE = '@earendil-works/pi-ai';
const VERSION = '1.5.0';
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'src/providers/catalogue/data');

/** Our providers, the file of each in the package, and how it is billed. */
const PROVIDERS = {
  'ai-gateway': { file: 'vercel-ai-gateway' },
  alibaba: { file: 'qwen-token-plan' },
  'alibaba-coding-plan': { file: 'qwen-token-plan', subscription: true },
  anthropic: { file: 'anthropic', documents: true },
  azure: { file: 'azure' },
  bedrock: { file: 'amazon-bedrock' },
  copilot: { file: 'github-copilot', subscription: true },
  'copilot-acp': { file: 'github-copilot', subscription: true },
  deepseek: { file: 'deepseek' },
  gemini: { file: 'google', documents: true },
  huggingface: { file: 'huggingface' },
  'kimi-code': { file: 'kimi-coding', subscription: true },
  'kimi-coding': { file: 'moonshotai' },
  'kimi-coding-cn': { file: 'moonshotai-cn' },
  minimax: { file: 'minimax' },
  'minimax-cn': { file: 'minimax-cn' },
  'minimax-oauth': { file: 'minimax', subscription: true },
  openai: { file: 'openai', documents: true },
  'openai-codex': { file: 'openai-codex', subscription: true },
  'opencode-go': { file: 'opencode-go', subscription: true },
  'opencode-zen': { file: 'opencode' },
  openrouter: { file: 'openrouter' },
  'qwen-oauth': { file: 'qwen-token-plan', subscription: true },
  vertex: { file: 'google-vertex' },
  xai: { file: 'xai' },
  zai: { file: 'zai' },
};

const folder = process.argv[2] ?? fetchPackage();
const data = join(folder, 'package/dist/providers/data');
const version = readJson(join(data, '.manifest.json')).generatedAt.slice(0, 10);
const additions = readJson(join(root, 'scripts/catalogue-additions.json'));
const source = `${PACKAGE} ${readJson(join(folder, 'package/package.json')).version}`;

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
let bytes = 0;
for (const [provider, plan] of Object.entries(PROVIDERS)) {
  const { file, subscription = false } = plan;
  const models = Object.values(readJson(join(data, `${file}.json`))).flatMap(Object.values);
  const entries = models.filter(isChatModel).map((model) => toEntry(model, plan));
  const known = new Set(entries.map(({ id }) => id.toLowerCase()));
  const added = addedEntries(additions.providers[provider] ?? {}).filter(({ id }) => !known.has(id));
  const sections = [
    { origin: { source, version, subscription }, entries: sorted(entries) },
    { origin: { source: additions.source, version: additions.version, subscription }, entries: sorted(added) },
  ];
  const text = formatProviderFile(sections.filter((section) => section.entries.length > 0));
  writeFileSync(join(target, `${provider}.tsv`), text);
  bytes += text.length;
  process.stdout.write(`${provider}: ${entries.length} models, ${added.length} added\n`);
}
process.stdout.write(`${bytes} bytes, from ${source} of ${version}\n`);
if (process.argv[2] === undefined) rmSync(folder, { recursive: true });

function fetchPackage() {
  const temporary = mkdtempSync(join(tmpdir(), 'hermes-catalogue-'));
  const run = (command, args) => {
    const { status, stderr } = spawnSync(command, args, { cwd: temporary, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${stderr}`);
  };
  run('npm', ['pack', '--silent', `${PACKAGE}@${VERSION}`]);
  run('sh', ['-c', 'tar xzf *.tgz']);
  return temporary;
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Only models that can call tools are chat models here. A router that selects a model itself has no facts. */
function isChatModel({ type, id }) {
  return type === 'chat' && isModelName(id) && id !== 'auto' && !id.startsWith('openrouter/auto');
}

function toEntry({ id, contextWindow, maxTokens, reasoning, input, cost }, { subscription, documents }) {
  const vision = input.includes('image');
  const facts = { contextLength: contextWindow, outputLimit: maxTokens, tools: true, vision, reasoning };
  // Assumption: if a provider's own API accepts PDF files, it does so for every model that reads images.
  if (documents) facts.documents = vision;
  if (!subscription && isPlausiblePrice(id, cost.input, cost.output)) facts.price = toPrice(cost);
  return { id, facts };
}

function toPrice({ input, output, cacheRead, cacheWrite, tiers }) {
  const price = { input, output };
  if (cacheRead > 0) price.cacheRead = cacheRead;
  if (cacheWrite > 0) price.cacheWrite = cacheWrite;
  if (tiers?.length > 0) {
    price.tiers = tiers.map(({ inputTokensAbove, ...tier }) => ({ above: inputTokensAbove, ...toPrice(tier) }));
  }
  return price;
}

function addedEntries(rows) {
  return Object.entries(rows).map(([id, [contextLength, outputLimit, input, output, cacheRead, cacheWrite]]) => ({
    id,
    facts: {
      contextLength,
      ...(outputLimit === null ? {} : { outputLimit }),
      tools: true,
      price: toPrice({ input, output, cacheRead, cacheWrite: cacheWrite ?? 0 }),
    },
  }));
}

function sorted(entries) {
  return entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
