import type { HermesError } from '../../base/index.ts';
import { LOST } from './cloud-child.ts';
import type { CloudContainer, CloudService } from './cloud-service.ts';
import type { RemoteConnection, RemoteStart } from '../remote/remote-connection.ts';
import { NotConnected } from '../remote/remote-launch.ts';

export type CloudConnectionOptions = {
  service: CloudService;
  /** Variables that commands get. */
  variables: Readonly<Record<string, string>>;
  explain(errors: string): HermesError;
  /** Hears of what is still to be run there when the program leaves. */
  onLeave(words: readonly string[]): void;
  onClose(): Promise<void>;
};

/** Streams come by ways of their own, over a network; mostly their end comes before. */
const DRAIN_MS = 2000;

/** The way into a container of a service, which is made or started with the first use. */
export function createCloudConnection(options: CloudConnectionOptions): RemoteConnection {
  const { service, explain } = options;
  const prefix = Object.entries(options.variables).map(([name, value]) => `${name}=${value}`);
  const words = ({ script, parameters, shell }: RemoteStart) => [
    ...(prefix.length === 0 ? [] : ['env', ...prefix]),
    shell,
    '-c',
    script,
    shell,
    ...parameters,
  ];
  let opening: Promise<CloudContainer> | undefined;
  let wasUp = false;

  async function container(): Promise<CloudContainer> {
    opening ??= bringUp(service, wasUp);
    const found = await opening.catch((thrown: unknown) => {
      // The next one tries again.
      opening = undefined;
      throw explain(textOf(thrown));
    });
    wasUp = true;
    return found;
  }
  const begun = async <Begun>(begin: (found: CloudContainer) => Promise<Begun>): Promise<Begun> => {
    const found = await container();
    return begin(found).catch((thrown: unknown) => {
      throw new NotConnected(textOf(thrown));
    });
  };

  const connection: RemoteConnection = {
    // A service closes the streams with the first process.
    lingers: true,
    drainMs: DRAIN_MS,
    async open() {
      await container();
    },
    begin: (start) => begun((found) => found.begin(words(start), start.input)),
    beginTerminal: (start) => begun((found) => found.beginTerminal(words(start), start.size)),
    async run(script, parameters, input) {
      const start = words({ script, parameters, shell: '/bin/sh' });
      for (let attempt = 1; ; attempt++) {
        const found = await container();
        const result = await found.run(start, input).catch((thrown: unknown) => textOf(thrown));
        if (typeof result !== 'string') return result;
        if (attempt === 2) throw explain(result);
        // It was stopped by somebody. These scripts can all be run twice.
        opening = undefined;
      }
    },
    leave: (script, parameters) => options.onLeave(words({ script, parameters, shell: '/bin/sh' })),
    hasFailed: (code) => code === LOST,
    forget: () => (opening = undefined),
    explain,
    close: options.onClose,
  };
  return connection;
}

async function bringUp(service: CloudService, again: boolean): Promise<CloudContainer> {
  const found = await service.find();
  if (found !== undefined) return found;
  // A new one in the place of one that held something would go on as if nothing had been lost.
  if (again) throw new Error('the container is gone');
  return service.make();
}

/** What an SDK threw, in one line. */
export function textOf(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return text.replaceAll(/\s+/g, ' ').slice(0, 500);
}
