// Writes docs/sdk-api.md: the declarations that the package exports, so that a review shows every change of the public
// API. `--check` fails if the page is out of date. Needs a build with types (`node scripts/build.mjs --types`).
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs/sdk-api.md');

const HEAD = `# The public API

What \`import … from 'hermes-agent-ts'\` offers, generated from the declarations of the package by
\`npm run api-report\`. [The SDK](sdk.md) and [plugins](plugins.md) explain it.
`;

/** The declarations of exported names, without comments. */
function readDeclarations(file) {
  const source = readFileSync(file, 'utf8');
  const { program } = parseSync(file, source);
  const exported = new Set(
    program.body.flatMap((node) =>
      node.type === 'ExportNamedDeclaration' ? node.specifiers.map(({ local }) => local.name) : [],
    ),
  );
  return program.body
    .filter((node) => exported.has(node.id?.name ?? node.declarations?.[0]?.id.name))
    .map((node) => ({ name: node.id?.name ?? node.declarations[0].id.name, text: withoutComments(source, node) }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function withoutComments(source, { start, end }) {
  return source
    .slice(start, end)
    .replaceAll(/\/\*\*.*?\*\/\s*/gs, '')
    .replace(/^declare /, '');
}

const page = [
  HEAD,
  ...readDeclarations(join(ROOT, 'dist/index.d.ts')).map(({ text }) => `\`\`\`ts\n${text}\n\`\`\`\n`),
].join('\n');
if (!process.argv.includes('--check')) writeFileSync(PAGE, page);
else if (readFileSync(PAGE, 'utf8') !== page) {
  console.error('docs/sdk-api.md is out of date: the public API has changed. Run `npm run api-report`.');
  process.exitCode = 1;
}
