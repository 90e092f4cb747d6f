import { afterEach, beforeEach } from 'vitest';
import {
  createProviderServer,
  createTemporaryHome,
  type ProviderServer,
  type TemporaryHome,
} from '../../src/testing/index.ts';
import { configFor } from './provider-config.ts';

export { configFor } from './provider-config.ts';

/** A home and a provider server, created for each test of a file. */
export type CliFixture = {
  readonly home: TemporaryHome;
  readonly server: ProviderServer;
  /** Configures the server as the model of the home, without titles; `more` is appended. */
  configure(more?: string): Promise<void>;
};

/**
 * Titles are disabled, because the additional request after an answer would disturb most scripts and request counts.
 */
const NO_TITLES = 'auxiliary:\n  title_generation:\n    enabled: false\n';

/** Parses JSON lines. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

export function lastLine(text: string): Record<string, unknown> {
  return jsonLines(text).at(-1) ?? {};
}

/** Call it at the top level of a test file. */
export function useCliFixture(): CliFixture {
  let home: TemporaryHome;
  let server: ProviderServer;
  beforeEach(async () => {
    home = await createTemporaryHome();
    server = await createProviderServer();
  });
  afterEach(async () => {
    await server.close();
    await home.remove();
  });
  return {
    get home() {
      return home;
    },
    get server() {
      return server;
    },
    configure: (more = '') => home.write('config.yaml', NO_TITLES + configFor(server) + more),
  };
}
