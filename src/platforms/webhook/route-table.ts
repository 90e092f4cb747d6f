import { stat } from 'node:fs/promises';
import { errorMessage } from '../../base/index.ts';
import {
  readSubscriptions,
  readWebhookRoute,
  subscriptionsFile,
  type WebhookRoute,
  type WebhookServerSettings,
} from '../../config/gateway/index.ts';
import { rememberSecrets } from '../../util/index.ts';

/** The routes of the configuration, and those of subscriptions, which can change at any time. */
export interface RouteTable {
  /** Reads the subscriptions again if their file has changed. */
  find(name: string): Promise<WebhookRoute | undefined>;
}

export type RouteTableOptions = {
  home: string;
  settings: Pick<WebhookServerSettings, 'routes' | 'secret'>;
  /** Called once with each problem of a subscription. */
  onProblem(problem: string): void;
};

export function createRouteTable({ home, settings, onProblem }: RouteTableOptions): RouteTable {
  const fixed = new Map(settings.routes.map((route) => [route.name, route]));
  const reported = new Set<string>();
  let subscribed = new Map<string, WebhookRoute>();
  let version = '';
  rememberSecrets(settings.routes.map(({ secret }) => secret));

  function report(problem: string): void {
    if (!reported.has(problem)) onProblem(problem);
    reported.add(problem);
  }

  async function update(): Promise<void> {
    const current = await versionOf(subscriptionsFile(home));
    if (current === version) return;
    const routes = new Map<string, WebhookRoute>();
    for (const [name, entry] of Object.entries(await readSubscriptions(home))) {
      const route = readWebhookRoute(name, entry, { origin: 'subscription', globalSecret: settings.secret });
      if ('problem' in route) report(route.problem);
      else routes.set(name, route);
    }
    rememberSecrets([...routes.values()].map(({ secret }) => secret));
    subscribed = routes;
    version = current;
  }

  return {
    async find(name) {
      // A file that is being edited must not stop the routes that are known.
      await update().catch((thrown: unknown) => report(errorMessage(thrown)));
      return fixed.get(name) ?? subscribed.get(name);
    },
  };
}

/** Changes whenever the file does; empty if there is none. */
async function versionOf(file: string): Promise<string> {
  const facts = await stat(file, { bigint: true }).catch(() => undefined);
  return facts === undefined ? '' : [facts.ino, facts.mtimeNs, facts.size].join(' ');
}
