import { describe, expect, onTestFinished } from 'vitest';
import { type DaytonaServer, startDaytonaServer } from '../../src/environments/cloud/daytona-server.fixture.ts';
import { type ModalServer, startModalServer } from '../../src/environments/cloud/modal-server.fixture.ts';
import { verifies } from '../spec/verifies.ts';
import { jsonLines, useCliFixture } from '../support/cli-fixture.ts';
import { fullDoseOnly } from '../support/dose.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();

type Server = Pick<ModalServer | DaytonaServer, 'close'> & { up(): number };

async function startService(
  backend: 'modal' | 'daytona',
): Promise<{ server: Server; keys: string; env: Record<string, string> }> {
  if (backend === 'modal') {
    const { url, running, close } = await startModalServer();
    const keys = 'MODAL_TOKEN_ID=ak-test\nMODAL_TOKEN_SECRET=as-test\n';
    return { server: { close, up: () => running().length }, keys, env: { MODAL_SERVER_URL: url } };
  }
  const { url, states, close } = await startDaytonaServer();
  const up = () => states().filter((state) => state === 'started').length;
  return { server: { close, up }, keys: `DAYTONA_API_KEY=dtn_test\nDAYTONA_API_URL=${url}\n`, env: {} };
}

describe.each(['modal', 'daytona'] as const)('a chat with commands at %s', (backend) => {
  verifies(
    'TOOL-6',
    'uses its container for commands and files without approval, keeps it, and passes no keys to it',
    fullDoseOnly,
    async () => {
      const { server, keys, env } = await startService(backend);
      onTestFinished(() => server.close());
      await cli.configure();
      await cli.home.write('.env', keys);
      const hermes = (args: string[]) => runHermes(args, { home: cli.home, env: { ...env, TERMINAL_ENV: backend } });
      cli.server.setScript([
        { toolCalls: [{ name: 'write_file', arguments: { path: 'note.txt', content: 'from the tool' } }] },
        { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf build; cat note.txt; env' } }] },
        { text: 'done' },
      ]);
      const first = jsonLines((await hermes(['--json', '-q', 'go'])).stdout);
      const results = first.filter(({ type }) => type === 'tool-finished') as { status: string; content: string }[];
      expect(results.map(({ status }) => status)).toEqual(['ok', 'ok']);
      expect(results[1]?.content).toContain('from the tool');
      expect(JSON.stringify(first)).not.toMatch(/ak-test|as-test|dtn_test/);
      expect(server.up()).toBe(0);
      cli.server.setScript([{ toolCalls: [{ name: 'read_file', arguments: { path: 'note.txt' } }] }, { text: 'done' }]);
      expect((await hermes(['--json', '-q', 'again'])).stdout).toContain('from the tool');
      expect(server.up()).toBe(0);
    },
  );
});
