import type { Route } from '../../http/index.ts';
import type { ApiContext, ApiRoute } from './api-context.ts';

/** What everybody may ask: whether the server is up, and nothing else. */
export function openHealthRoutes(): Route[] {
  const answer = { json: { status: 'ok', platform: 'hermes-agent' } };
  return ['/health', '/v1/health'].map((path) => ({
    method: 'GET',
    path,
    access: 'public',
    handle: () => answer,
  }));
}

export function healthRoutes({ runtime, version, turns }: ApiContext): ApiRoute[] {
  const startedAt = runtime.clock.now();
  return [
    {
      method: 'GET',
      path: '/health/detailed',
      handle: () => ({
        json: {
          status: 'ok',
          platform: 'hermes-agent',
          version,
          pid: process.pid,
          uptime_seconds: Math.floor((runtime.clock.now() - startedAt) / 1000),
          active_agents: turns.active,
          active_runs: turns.slots.used,
          memory_bytes: process.memoryUsage.rss(),
        },
      }),
    },
  ];
}
