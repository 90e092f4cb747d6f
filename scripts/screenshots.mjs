// Creates the screenshots in docs/images: the first steps of a new user, each as shown in the terminal.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createProviderServer, createTemporaryHome } from '../src/testing/index.ts';
import { newcomerReply } from '../test/support/newcomer/model.ts';
import { walkNewcomerPath } from '../test/support/newcomer/walk.ts';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs/images');

await using home = await createTemporaryHome();
await using server = await createProviderServer({ script: newcomerReply });
const { pictures } = await walkNewcomerPath(home, server);
mkdirSync(folder, { recursive: true });
for (const [name, svg] of pictures) writeFileSync(join(folder, `${name}.svg`), svg);
console.log(`Wrote ${pictures.size} screenshots to docs/images.`);
