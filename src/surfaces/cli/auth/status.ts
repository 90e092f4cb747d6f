import type { CredentialReport, PoolReport } from '../../../providers/credentials/index.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';
import { showable } from '../style.ts';
import { describeState } from './describe-state.ts';
import { loadPools, nothing } from './list.ts';

/** One line for each provider, and one for whatever needs attention. */
export async function showAuthStatus({ json }: { json?: boolean }, io: CliIo): Promise<number> {
  const pools = await loadPools(io);
  if (json) writeJson(io.stdout, pools.map(summarise));
  else io.stdout.write(pools.length === 0 ? nothing(io) : pools.map(statusLines).join(''));
  return 0;
}

function summarise({ provider, strategy, credentials, next }: PoolReport) {
  const ready = credentials.filter(({ state }) => state === 'ready').length;
  return { provider, strategy, count: credentials.length, ready, next };
}

function statusLines(pool: PoolReport): string {
  const { provider, credentials, strategy } = pool;
  const { ready, count, next } = summarise(pool);
  const several = count === 1 ? '' : `, ${ready} of ${count} ready, ${strategy}`;
  const line = `${provider}: ${next === undefined ? 'any' : `next is ${next}`}${several}`;
  const troubles = credentials
    .filter(({ state }) => state !== 'ready')
    .map((credential) => troubleLine(provider, credential));
  return `${[line, ...troubles].map(showable).join('\n')}\n`;
}

function troubleLine(provider: string, credential: CredentialReport): string {
  const wayOut =
    credential.reason === 'login_ended'
      ? `log in again with \`hermes auth add ${provider} --login\``
      : `\`hermes auth reset ${provider}\` uses it again`;
  return `  ${credential.label}: ${describeState(credential)}; ${wayOut}`;
}
