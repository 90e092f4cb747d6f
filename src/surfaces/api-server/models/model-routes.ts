import type { ApiContext, ApiRoute } from '../api-context.ts';

export function modelRoutes({ models, runtime, settings, version }: ApiContext): ApiRoute[] {
  const created = Math.floor(runtime.clock.now() / 1000);
  const describe = (id: string) => ({ id, object: 'model', created, owned_by: 'hermes' });
  return [
    {
      method: 'GET',
      path: '/v1/models',
      handle: ({ key }) => ({ json: { object: 'list', data: models.list(key).map(describe) } }),
    },
    {
      // Ids such as `provider/model` contain a slash, which clients encode or not.
      method: 'GET',
      path: '/v1/models/*id',
      async handle({ key, parameters: { id = '' } }) {
        await models.choose(key, id);
        return { json: describe(id) };
      },
    },
    {
      method: 'GET',
      path: '/v1/capabilities',
      handle: ({ key }) => ({ json: capabilities(models.list(key), { version, clientTools: settings.clientTools }) }),
    },
  ];
}

function capabilities(models: string[], { version, clientTools }: { version: string; clientTools: boolean }) {
  return {
    object: 'hermes.api_server.capabilities',
    platform: 'hermes-agent',
    version,
    models,
    auth: { type: 'bearer', required: true },
    features: {
      chat_completions: true,
      chat_completions_streaming: true,
      responses_api: true,
      responses_streaming: true,
      responses_background: true,
      conversations: true,
      run_submission: true,
      run_events_sse: true,
      run_events_resumable: true,
      run_stop: true,
      run_steer: true,
      run_approval: true,
      tool_progress_events: true,
      client_tools: clientTools,
      session_resources: true,
      session_continuity_header: 'X-Hermes-Session-Id',
      session_key_header: 'X-Hermes-Session-Key',
      jobs: true,
    },
  };
}
