import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { ConfigurationError, type HermesError } from '../base/index.ts';
import { loadSettings, resolveHome } from './index.ts';

describe('loadSettings', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'hermes-config-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const load = async (config: string, env: Record<string, string> = {}, dotEnv = '') => {
    await writeFile(join(home, 'config.yaml'), config);
    await writeFile(join(home, '.env'), dotEnv);
    return loadSettings({ home, env });
  };
  const failure = async (config: string): Promise<HermesError> =>
    load(config).then(
      () => expect.unreachable('it should not load'),
      (thrown: HermesError) => thrown,
    );

  it('reads the limits of subagents and scripts, and has defaults for them', async () => {
    const plain = await load('');
    expect(plain.delegation).toEqual({ maxIterations: 50, maxConcurrent: 3, timeoutSeconds: undefined });
    expect(plain.codeExecution).toEqual({ timeoutSeconds: 300, maxCalls: 50 });
    const set = await load(
      'delegation: { max_iterations: 7, max_concurrent_children: 2, child_timeout_seconds: 60 }\ncode_execution: { timeout: 5, max_tool_calls: 1 }\n',
    );
    expect(set.delegation).toEqual({ maxIterations: 7, maxConcurrent: 2, timeoutSeconds: 60 });
    expect(set.codeExecution).toEqual({ timeoutSeconds: 5, maxCalls: 1 });
    expect((await load('delegation: { child_timeout_seconds: 0 }\n')).delegation?.timeoutSeconds).toBeUndefined();
  });

  it('returns defaults without a file', async () => {
    const settings = await loadSettings({ home, env: {} });
    expect(settings).toMatchObject({
      maxTurns: 90,
      model: {},
      fallbacks: [],
      warnings: [],
      approvals: { mode: 'manual' },
    });
    expect(await readdir(home)).toEqual([]);
  });

  verifies(
    'CACHE-2',
    'cache entries live for five minutes, an hour or both in turn, and no other value is accepted',
    async () => {
      expect((await loadSettings({ home, env: {} })).cacheTtl).toBe('5m');
      expect((await load('prompt_caching: { cache_ttl: 1h }')).cacheTtl).toBe('1h');
      expect((await load('prompt_caching: { cache_ttl: auto }')).cacheTtl).toBe('auto');
      expect((await load('prompt_caching: {}')).cacheTtl).toBe('5m');
      const fault = await failure('prompt_caching:\n  cache_ttl: 2h\n');
      expect(fault).toBeInstanceOf(ConfigurationError);
      expect(fault.message).toMatch(/config\.yaml, line 2: prompt_caching\.cache_ttl must be 5m, 1h or auto, not `/);
    },
  );

  verifies('CACHE-2', 'the caching mode is global, of a provider, or of a custom endpoint', async () => {
    const modeOf = async (section: string) => (await load(section)).cachingMode;
    expect((await loadSettings({ home, env: {} })).cachingMode).toBe('auto');
    expect(await modeOf('prompt_caching: { mode: off }')).toBe('off');
    // A boolean in YAML 1.1, which other programs write.
    expect(await modeOf('prompt_caching: { mode: true }')).toBe('on');
    const { providers } = await load('providers: { litellm: { prompt_caching: { mode: on } } }');
    expect(providers?.['litellm']?.cachingMode).toBe('on');
    const entry = '{ name: lab, base_url: http://lab/v1, prompt_caching: { mode: off } }';
    expect((await load(`custom_providers: [${entry}]`)).customProviders[0]?.cachingMode).toBe('off');
    const fault = await failure('providers:\n  litellm:\n    prompt_caching: { mode: maybe }\n');
    expect(fault.message).toMatch(/line 3: providers\.litellm\.prompt_caching\.mode must be auto, on or off/);
  });

  it('accepts the model as a mapping or as a plain name', async () => {
    expect((await load('model: some-model')).model.model).toBe('some-model');
    const { model } = await load(
      'model:\n  default: m\n  provider: custom\n  base_url: http://127.0.0.1:1/v1\n  api_key: k\n  context_length: 9',
    );
    expect(model).toMatchObject({ model: 'm', provider: 'custom', baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'k' });
    expect(model.contextLength).toBe(9);
  });

  it('reads credential strategies and login overrides', async () => {
    const settings = await load(
      'credential_pool_strategies: {openrouter: least_used}\nauth:\n  lab: {client_id: c, token_url: https://lab.example/t}\n',
    );
    expect(settings.poolStrategies).toEqual({ openrouter: 'least_used' });
    expect(settings.logins?.['lab']).toMatchObject({ clientId: 'c', tokenUrl: 'https://lab.example/t' });
    expect((await failure('credential_pool_strategies: {openrouter: best}')).message).toContain(
      'credential_pool_strategies.openrouter must be fill_first, round_robin, least_used or random, not `best`.',
    );
    for (const address of ['http://lab.example/t', 'https://me:pw@lab.example/t', 'lab']) {
      expect((await failure(`auth: {lab: {token_url: "${address}"}}`)).message).toContain('must be an https URL');
    }
  });

  it('treats null and empty strings as not set', async () => {
    const settings = await load(
      "model: ''\nagent:\n  max_turns: null\nfallback_model: {}\ndisplay:\n  busy_input_mode: ''",
    );
    expect(settings).toMatchObject({ model: {}, maxTurns: 90, busyInputMode: undefined, warnings: [] });
    expect(settings.display).toMatchObject({ plain: false, bell: true, showReasoning: false });
  });

  it('reads the terminal settings from the file, then from variables', async () => {
    const image = 'nikolaik/python-nodejs:python3.11-nodejs20';
    expect((await load('')).terminal).toEqual({
      keepsBackground: false,
      backend: 'local',
      passedVariables: [],
      sandboxNetwork: true,
      ssh: { host: undefined, user: undefined, port: undefined, key: undefined, directory: undefined },
      container: {
        dockerImage: image,
        modalImage: image,
        daytonaImage: image,
        network: true,
        persistent: true,
        singularityImage: `docker://${image}`,
        mountsWorkingDirectory: false,
        engine: undefined,
        cpu: undefined,
        memory: undefined,
        disk: undefined,
        volumes: [],
        extraArguments: [],
      },
    });
    const env = { TERMINAL_ENV: 'ssh', TERMINAL_SSH_HOST: 'old', TERMINAL_SSH_PORT: '2222', TERMINAL_SSH_USER: 'me' };
    const file =
      'terminal:\n  ssh_host: box\n  cwd: .\n  env_passthrough: [GH_TOKEN]\n  sandbox_network: false\n  keep_background: true';
    const { terminal } = await load(file, env);
    expect(terminal).toMatchObject({
      backend: 'ssh',
      passedVariables: ['GH_TOKEN'],
      sandboxNetwork: false,
      keepsBackground: true,
    });
    expect(terminal.ssh).toMatchObject({ host: 'box', user: 'me', port: 2222, directory: undefined });
    expect((await load('terminal:\n  cwd: ~/work')).terminal.ssh.directory).toBe('~/work');
    const container = 'container_cpu: 0.5\n  docker_volumes: [/a:/a:ro]\n  container_persistent: false';
    const images = { TERMINAL_DOCKER_IMAGE: 'debian', TERMINAL_SINGULARITY_IMAGE: '/images/debian.sif' };
    expect((await load(`terminal:\n  backend: docker\n  ${container}`, images)).terminal.container).toMatchObject({
      dockerImage: 'debian',
      singularityImage: '/images/debian.sif',
      cpu: 0.5,
      volumes: ['/a:/a:ro'],
      persistent: false,
    });
    const cloud = await load('terminal:\n  modal_image: alpine', {
      TERMINAL_ENV: 'modal',
      TERMINAL_MODAL_IMAGE: 'debian',
      TERMINAL_DAYTONA_IMAGE: 'debian',
    });
    expect(cloud.terminal).toMatchObject({
      backend: 'modal',
      container: { modalImage: 'alpine', daytonaImage: 'debian' },
    });
    expect((await load('', { TERMINAL_ENV: 'apptainer' })).terminal.backend).toBe('singularity');
    expect((await failure('terminal:\n  container_cpu: 0')).message).toContain(
      'container_cpu must be a number above 0',
    );
    await expect(load('', { TERMINAL_SSH_PORT: 'x' })).rejects.toThrow('TERMINAL_SSH_PORT must be a port number');
    expect((await failure('terminal:\n  ssh_port: x')).message).toContain('terminal.ssh_port must be a whole number');
  });

  it('accepts the YAML 1.1 words for true and false, for every key', async () => {
    const settings = await load('display: { plain: yes, bell: Off, show_reasoning: on }\nskills: { search_npm: no }\n');
    expect(settings.display).toEqual({
      plain: true,
      bell: false,
      notifications: 'auto',
      showReasoning: true,
      ignoredSettings: true,
      theme: 'auto',
    });
    expect(settings.skills?.searchNpm).toBe(false);
  });

  it('tolerates hundreds of unknown keys of any type', async () => {
    const others = Array.from({ length: 900 }, (_, at) => `other_${at}:\n  list: [1, two, null]\n  flag: off\n`).join(
      '',
    );
    const settings = await load(`${others}agent:\n  max_turns: 7\n  unknown: {a: [b]}\nproviders: {}\n`);
    expect(settings.maxTurns).toBe(7);
  });

  verifies('BOUND-2', 'broken YAML is reported with file, line and key', async () => {
    const error = await failure('agent:\n  max_turns: 5\nmodel:\n  default: "open\n  provider: x\n');
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toContain(`${join(home, 'config.yaml')}, line `);
    expect(error.message).toMatch(/key "\w+"/);
    expect(error.hint).toContain('hermes config edit');
  });

  const wrong: [config: string, line: number, key: string, wanted: string][] = [
    ['agent:\n\n  max_turns: many', 3, 'agent.max_turns', 'a whole number above 0'],
    ['agent:\n  max_turns: 0', 2, 'agent.max_turns', 'a whole number above 0'],
    ['agent:\n  reasoning_effort: huge', 2, 'agent.reasoning_effort', 'none, minimal, low'],
    ['agent:\n  service_tier: 1', 2, 'agent.service_tier', 'normal, default, auto, fast or priority, not `1`.'],
    ['agent:\n  stream_stale_timeout: [1]', 2, 'agent.stream_stale_timeout', 'a number above 0'],
    ['agent: 5', 1, 'agent', 'a mapping'],
    ['# first\nmodel:\n  default: 5', 3, 'model.default', 'text'],
    ['model: [a]', 1, 'model', 'a model name'],
    ['model:\n  base_url: nowhere', 2, 'model.base_url', 'a URL'],
    ['model:\n  api_mode: grpc', 2, 'model.api_mode', 'chat_completions'],
    ['fallback_providers: yes please', 1, 'fallback_providers', 'a list'],
    ['fallback_providers:\n  - provider: a\n    model: b\n  - model: 7', 4, 'fallback_providers[1].model', 'text'],
    ['custom_providers:\n  - just-a-name', 2, 'custom_providers[0]', 'a mapping with name and base_url'],
    ['limits:\n  day_usd: -1', 2, 'limits.day_usd', 'a number above 0'],
    ['model_overrides:\n  a/b:\n    vision: maybe', 3, 'model_overrides.a/b.vision', 'true or false'],
    ['model_overrides:\n  m:\n    price: 5', 3, 'model_overrides.m.price', 'a mapping with input and output'],
    [
      'model_overrides:\n  m:\n    price:\n      input: 1\n      output: -1',
      5,
      'model_overrides.m.price.output',
      'US dollars',
    ],
    ['model_overrides:\n  m: 9000', 2, 'model_overrides.m', 'a mapping such as'],
    [
      'custom_providers:\n  - models:\n      m:\n        context_length: 0',
      4,
      'custom_providers[0].models.m.context_length',
      'a whole',
    ],
    ['network:\n  background_refresh: sometimes', 2, 'network.background_refresh', 'true or false'],
    ['models_dev:\n  url: nowhere', 2, 'models_dev.url', 'a URL'],
    ['approvals:\n  mode: never', 2, 'approvals.mode', 'manual, smart or off, not `never`.'],
    ['approvals:\n  cron_mode: maybe', 2, 'approvals.cron_mode', 'deny or approve, not `maybe`.'],
    ['approvals:\n  workspace: here', 2, 'approvals.workspace', 'files, all or off, not `here`.'],
    ['auxiliary: 5', 1, 'auxiliary', 'a mapping'],
    ['auxiliary:\n  vision: fast', 2, 'auxiliary.vision', 'a mapping with provider'],
    ['auxiliary:\n  vision:\n    timeout: soon', 3, 'auxiliary.vision.timeout', 'a number above 0'],
    ['auxiliary:\n  mcp:\n    base_url: nowhere', 3, 'auxiliary.mcp.base_url', 'a URL'],
    ['auxiliary:\n  mcp:\n    fallback: some-model', 3, 'auxiliary.mcp.fallback[0]', 'a mapping with provider'],
    ['auxiliary:\n  approval:\n    enabled: maybe', 3, 'auxiliary.approval.enabled', 'true or false'],
    ['command_allowlist: [1]', 1, 'command_allowlist[0]', 'text'],
    ['- a list', 1, 'the file', 'a mapping'],
  ];
  for (const [config, line, key, wanted] of wrong) {
    verifies('BOUND-2', `a wrong value of ${key} is reported with line ${line}`, async () => {
      const error = await failure(config);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toContain(`config.yaml, line ${line}: ${key} must be ${wanted}`);
    });
  }

  verifies('PROV-10', 'configured model facts are read, and missing ones stay unknown', async () => {
    const price = '{ input: 1, output: 2, cache_read: 0.5 }';
    const settings = await load(
      `model_overrides:\n  a/b:\n    context_length: 5\n    tools: false\n    price: ${price}\n  c: {}\n` +
        'custom_providers:\n' +
        '  - { name: lab, base_url: http://h/v1, models: { m: { output_limit: 7 } } }\n' +
        '  - { name: old, base_url: http://h/v1, models: [m, n] }\n',
    );
    expect(settings.modelOverrides).toEqual({
      'a/b': {
        contextLength: 5,
        tools: false,
        price: { input: 1, output: 2, cacheRead: 0.5, source: 'config.yaml', version: 'set by hand' },
      },
      c: {},
    });
    expect(settings.customProviders.map(({ models }) => models)).toEqual([{ m: { outputLimit: 7 } }, undefined]);
  });

  verifies('BOUND-3', 'one switch disables background downloads, and so does the key of existing files', async () => {
    const refresh = async (config: string) => (await load(config)).backgroundRefresh;
    expect(await refresh('')).toBe(true);
    expect(await refresh('network:\n  background_refresh: false')).toBe(false);
    expect(await refresh('model_catalog:\n  enabled: false')).toBe(false);
    expect(await refresh('model_catalog:\n  enabled: true')).toBe(true);
    expect((await load('models_dev:\n  url: http://h/api.json')).catalogueUrl).toBe('http://h/api.json');
  });

  it('applies merge keys', async () => {
    const settings = await load(
      'shared: &shared\n  max_turns: 7\n  stream_stale_timeout: 8\nagent:\n  <<: *shared\n  max_turns: 9\n',
    );
    expect(settings).toMatchObject({ maxTurns: 9, streamStaleTimeoutSeconds: 8 });
  });

  verifies('BOUND-2', 'an anchor that contains itself or does not exist is reported with its line', async () => {
    const broken = [
      ['x: 1\nagent: &a\n  more: *a\n', 3],
      ['agent: &a\n  <<: *a\n', 2],
      ['list: &l [1, [*l]]\n', 1],
      ['x: 1\nagent: *nowhere\n', 2],
    ] as const;
    for (const [config, line] of broken) {
      const error = await failure(config);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toContain(`config.yaml, line ${line}: the file cannot be read`);
    }
    const deep = await failure(`deep: ${'['.repeat(3000)}${']'.repeat(3000)}`);
    expect(deep).toBeInstanceOf(ConfigurationError);
  });

  it('emits no warning for a key that is a collection', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    await load('? [a, b]\n: 1\n{c: d}: 2\nagent:\n  max_turns: 5\n');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  verifies('BOUND-2', 'a FIFO or a device instead of a file is reported immediately', async () => {
    for (const name of ['config.yaml', '.env']) {
      await rm(join(home, name), { force: true });
      execFileSync('mkfifo', [join(home, name)]);
      await expect(loadSettings({ home, env: {} })).rejects.toThrow(`${name}: it is not a regular file`);
      await rm(join(home, name));
      await symlink('/dev/zero', join(home, name));
      await expect(loadSettings({ home, env: {} })).rejects.toThrow(ConfigurationError);
      await rm(join(home, name));
    }
  });

  it('reads each setting from its own key', async () => {
    const settings = await load(
      [
        'agent: { max_turns: 11, stream_stale_timeout: 12.5, reasoning_effort: xhigh, service_tier: priority }',
        'limits: { session_usd: 1.5, day_usd: 2.5, session_tokens: 3000, turn_seconds: 4.5 }',
        'approvals: { mode: smart, timeout: 5 }',
        'display: { busy_input_mode: queue, plain: true, bell: false, show_reasoning: true, theme: light }',
        'command_allowlist: [ls]',
        'model: { default: m, provider: custom, base_url: "http://h/v1", api_mode: anthropic_messages, context_length: 6 }',
        'custom_providers:',
        '  - { name: lab, base_url: "http://l/v1", api_mode: codex_responses, model: lm, key_env: LAB, context_length: 7, api_key: k }',
      ].join('\n'),
    );
    expect(settings).toMatchObject({
      maxTurns: 11,
      streamStaleTimeoutSeconds: 12.5,
      reasoningEffort: 'xhigh',
      speed: 'fast',
      limits: { sessionUsd: 1.5, dayUsd: 2.5, sessionTokens: 3000, turnSeconds: 4.5 },
      approvals: { mode: 'smart', timeoutSeconds: 5 },
      busyInputMode: 'queue',
      display: {
        plain: true,
        bell: false,
        notifications: 'auto',
        showReasoning: true,
        ignoredSettings: true,
        theme: 'light',
      },
      commandAllowlist: ['ls'],
      model: {
        model: 'm',
        provider: 'custom',
        baseUrl: 'http://h/v1',
        apiMode: 'anthropic_messages',
        contextLength: 6,
      },
    });
    const at = (key: string) => `${join(home, 'config.yaml')}, line 8: custom_providers[0].${key}`;
    expect(settings.customProviders).toEqual([
      {
        name: 'lab',
        baseUrl: 'http://l/v1',
        apiMode: 'codex_responses',
        model: 'lm',
        keyVariable: 'LAB',
        contextLength: 7,
        apiKey: 'k',
        baseUrlLocation: at('base_url'),
        modelLocation: at('model'),
        apiKeyLocation: at('api_key'),
      },
    ]);
  });

  it('reads the model name from either key, and reports which one', async () => {
    const named = async (key: string) => (await load(`model:\n  ${key}: m`)).model;
    for (const key of ['default', 'model']) {
      expect(await named(key)).toMatchObject({
        model: 'm',
        modelLocation: expect.stringContaining(`line 2: model.${key}`),
      });
    }
    expect((await load('model: m')).model).toMatchObject({
      model: 'm',
      modelLocation: expect.stringContaining('line 1: model'),
    });
  });

  verifies('BOUND-2', 'a URL with a password is rejected without repeating it', async () => {
    for (const config of [
      'model:\n  base_url: https://me:hunter2@h/v1',
      'custom_providers:\n  - name: l\n    base_url: https://hunter2@h/v1',
    ]) {
      const error = await failure(config);
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.message).toMatch(/line \d: .*base_url must be a URL without.*api_key/);
      expect(error.message).not.toContain('hunter2');
    }
  });

  it('reports a config file that is a folder', async () => {
    await rm(join(home, 'config.yaml'), { force: true });
    await expect(loadSettings({ home: join(home), env: {} })).resolves.toBeDefined();
    const { mkdir } = await import('node:fs/promises');
    await mkdir(join(home, 'config.yaml'));
    await expect(loadSettings({ home, env: {} })).rejects.toThrow(
      /Cannot read .*config\.yaml: it is not a regular file/,
    );
  });

  it('rejects aliases that expand to a huge document', async () => {
    const levels = Array.from({ length: 12 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at},`.repeat(9)}]`);
    const error = await failure(`l0: &l0 x\n${levels.join('\n')}\n`);
    expect(error.message).toContain('cannot be read');
  });

  verifies('CALL-6', 'fallbacks without provider or model are ignored with a warning', async () => {
    const settings = await load(
      [
        'fallback_model:',
        '  provider: first',
        '  model: m1',
        'fallback_providers:',
        '  - provider: no-model',
        '  - provider: second',
        '    model: m2',
      ].join('\n'),
    );
    expect(settings.fallbacks.map((fallback) => fallback.provider)).toEqual(['first', 'second']);
    expect(settings.warnings).toHaveLength(1);
    expect(settings.warnings[0]).toContain('line 5: fallback_providers[0] is ignored');
  });

  verifies('PROV-8', 'each task has its own provider, model, base URL, key, timeout and fallbacks', async () => {
    const { auxiliary, warnings } = await load(
      [
        'auxiliary:',
        '  transient_retries: 2',
        '  stream_only_base_urls: []',
        '  triage_specifier: { provider: auto, timeout: 120 }',
        "  vision: { provider: auto, model: '', base_url: '', api_key: '', timeout: 120, extra_body: {} }",
        '  compression:',
        '    provider: openrouter',
        '    model: cheap',
        '    api_key: ${CHEAP_KEY}',
        '    fallback:',
        '      - { provider: gemini, model: flash }',
        '      - { provider: half }',
        '  mcp: { fallback: { provider: xai, model: grok } }',
        '  title_generation: { enabled: off }',
      ].join('\n'),
      { CHEAP_KEY: 'k' },
    );
    expect(Object.keys(auxiliary)).toEqual(['vision', 'compression', 'mcp', 'title_generation']);
    expect(auxiliary.vision).toMatchObject({ choice: { provider: 'auto' }, fallbacks: [], timeoutSeconds: 120 });
    expect(auxiliary.compression).toMatchObject({
      choice: { provider: 'openrouter', model: 'cheap', apiKey: 'k' },
      fallbacks: [{ provider: 'gemini', model: 'flash' }],
    });
    expect(auxiliary.mcp?.fallbacks).toMatchObject([{ provider: 'xai', model: 'grok' }]);
    expect(auxiliary.mcp?.enabled).toBe(true);
    expect(auxiliary.title_generation?.enabled).toBe(false);
    expect(warnings).toEqual([expect.stringContaining('auxiliary.compression.fallback[1] is ignored')]);
  });

  verifies('PROV-8', 'a key without a provider or base URL is not used', async () => {
    const { auxiliary, warnings } = await load(
      [
        'auxiliary:',
        '  vision: { api_key: lost }',
        '  mcp: { provider: main, api_key: lost }',
        // Without its base URL, the key would be sent to the host of the chat model.
        '  compression: { provider: custom, model: m, base_url: "http://${NOT_THERE}/v1", api_key: lost }',
      ].join('\n'),
    );
    expect(JSON.stringify(auxiliary)).not.toContain('lost');
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toMatch(/auxiliary\.vision\.api_key is ignored, because it needs a base_url or the name/);
    expect(auxiliary.compression?.choice).toEqual({});
  });

  it('ignores a custom provider without a base URL, with a warning', async () => {
    const settings = await load('custom_providers:\n  - name: lab\n  - name: ok\n    base_url: http://h/v1\n');
    expect(settings.customProviders.map((provider) => provider.name)).toEqual(['ok']);
    expect(settings.warnings[0]).toContain('name and base_url');
  });

  it('replaces variables, with .env before the environment, without changing process.env', async () => {
    const config = 'model:\n  api_key: ${LAB_KEY_FOR_TEST}\n  base_url: http://${LAB_HOST}/v1\n';
    const settings = await load(
      config,
      { LAB_KEY_FOR_TEST: 'shell', LAB_HOST: 'h:1' },
      'LAB_KEY_FOR_TEST="saved one"\n',
    );
    expect(settings.model).toMatchObject({ apiKey: 'saved one', baseUrl: 'http://h:1/v1' });
    expect(process.env['LAB_KEY_FOR_TEST']).toBeUndefined();
  });

  it('ignores a key whose variable is not set, and warns without revealing its value', async () => {
    const settings = await load('model:\n  api_key: prefix-${NOT_THERE}\n');
    expect(settings.model.apiKey).toBeUndefined();
    expect(settings.warnings[0]).toMatch(/line 2: model\.api_key is ignored.*NOT_THERE/);
  });

  it('does not let an empty value in .env hide a variable', async () => {
    const settings = await load('', { SOME_KEY: 'shell' }, 'SOME_KEY=\n');
    expect(settings.variables['SOME_KEY']).toBe('shell');
  });
});

describe('resolveHome', () => {
  it('is HERMES_HOME, or a folder in the home of the user', () => {
    expect(resolveHome({ HERMES_HOME: '/data/h', HOME: '/u' })).toBe('/data/h');
    expect(resolveHome({ HERMES_HOME: '~/h', HOME: '/u' })).toBe('/u/h');
    for (const chosen of ['~/h/', '/u/h/']) expect(resolveHome({ HERMES_HOME: chosen, HOME: '/u' })).toBe('/u/h');
    expect(resolveHome({ HERMES_HOME: ' ', HOME: '/u' })).toBe('/u/.hermes');
    expect(resolveHome({ HOME: '/u' })).toBe('/u/.hermes');
  });
});
