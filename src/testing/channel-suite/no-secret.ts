import type { ChannelBench } from './channel-bench.ts';

/** Neither the error nor its causes contain the token. */
export function requireNoSecret({ secret }: Pick<ChannelBench, 'secret'>, error: unknown): void {
  for (let thrown = error; thrown instanceof Error; thrown = thrown.cause) {
    const { message, stack } = thrown;
    const shown = `${message} ${stack} ${JSON.stringify(thrown)} ${JSON.stringify(Object.entries(thrown))}`;
    if (shown.includes(secret)) throw new Error('an error contains the token of the bot');
  }
}
